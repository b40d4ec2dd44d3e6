// The player of a lesson in a file of its own. All texts are in the page already; here they are shown and hidden.
(() => {
    const stages = JSON.parse(document.getElementById("stages").textContent);
    const words = JSON.parse(document.getElementById("words").textContent);
    const _ = (text) => words[text] ?? text;
    const verdicts = JSON.parse(document.getElementById("verdicts").textContent);
    const articles = [...document.querySelectorAll("article[data-step]")];
    const [table, place, walk] = ["table", "stage", "walk"].map((id) => document.getElementById(id));
    const seen = new Set();
    const answers = new Map(); // of steps by their number: whether the answer was right
    let at = 0;
    let stage;

    const asked = (number) => articles[number].querySelector("form.question");

    function show(number, isMoved) {
        at = Math.max(0, Math.min(articles.length - 1, number));
        seen.add(at);
        articles.forEach((article, n) => article.classList.toggle("shown", n === at));
        document.querySelectorAll("nav [data-to]").forEach((button, n) => {
            if (n === at) button.setAttribute("aria-current", "step");
            else button.removeAttribute("aria-current");
            button.classList.toggle("done", n !== at && seen.has(n));
        });
        document.getElementById("back").disabled = at === 0;
        document.getElementById("next").disabled = at === articles.length - 1;
        drawStage();
        remember();
        if (isMoved) articles[at].querySelector("h2").focus();
    }

    function drawStage() {
        const found = stages[at];
        table.classList.toggle("staged", found.length > 0);
        place.hidden = !found.length;
        if (!found.length) return;
        const number = found.length > 1 && answers.has(at) ? 1 : 0;
        const data = { ...found[number], id: `${at}-${number}`, serial: `${at}-${number}` };
        if (stage) stage.update(data);
        else stage = new MemvizStage(place, data, {});
    }

    function answer(number, form, choice) {
        if (answers.has(number)) return;
        const right = Number(form.dataset.answer);
        answers.set(number, choice === right);
        const labels = [...form.querySelectorAll("label")];
        form.querySelectorAll("input").forEach((input) => (input.disabled = true));
        form.querySelector(".verdict").replaceChildren(...verdict(choice === right, labels[choice], labels[right]));
        form.querySelector(".reason").hidden = false;
        if (stages[number].length > 1) drawStage();
        score();
    }

    // In every language of the file: the form of the sentence with the choice that was taken, and the right one.
    function verdict(isRight, taken, right) {
        return Object.entries(verdicts[isRight ? "right" : "notQuite"]).map(([language, form]) => {
            const box = Object.assign(document.createElement("span"), { className: "said", lang: language });
            box.dataset.said = language;
            box.append(isRight ? "✓ " : "✗ ");
            const saidBy = (label) => label.querySelector(`.said[data-said="${language}"]`).textContent;
            form.split("**").forEach((part, at) => {
                const text = part.replace(/\{(said|right)\}/g, (found, name) => saidBy(name === "said" ? taken : right));
                box.append(at % 2 ? Object.assign(document.createElement("b"), { textContent: text }) : text);
            });
            return box;
        });
    }

    function score() {
        const right = [...answers.values()].filter(Boolean).length;
        document.getElementById("score").textContent = answers.size
            ? _("{right} of {count} right").replace("{right}", right).replace("{count}", answers.size)
            : "";
    }

    function speak(language) {
        document.body.dataset.language = language;
        document.title = document.querySelector(`h1 [data-said="${CSS.escape(language)}"]`).textContent;
        document.querySelectorAll("header [data-language]").forEach((button) => {
            button.setAttribute("aria-pressed", String(button.dataset.language === language));
        });
        remember();
    }

    // Where nothing can be copied the address is selected, so that the keyboard copies it.
    function copy(button) {
        const code = button.parentElement.querySelector("code");
        memvizCopy(button, code.textContent, () => {
            getSelection().selectAllChildren(code);
            return _("Selected");
        });
    }

    function remember() {
        const query = new URLSearchParams({ step: at + 1, language: document.body.dataset.language });
        history.replaceState(history.state, "", `#${query}`);
    }

    document.getElementById("back").onclick = () => show(at - 1, true);
    document.getElementById("next").onclick = () => show(at + 1, true);
    document.getElementById("print").onclick = () => print();
    document.querySelectorAll("nav [data-to]").forEach((button) => (button.onclick = () => show(Number(button.dataset.to), true)));
    document.querySelectorAll("header [data-language]").forEach((button) => (button.onclick = () => speak(button.dataset.language)));
    document.querySelectorAll("button.copy").forEach((button) => (button.onclick = () => copy(button)));
    document.addEventListener("keydown", (event) => {
        if (event.key === "PageDown" || event.key === "PageUp") {
            event.preventDefault();
            show(at + (event.key === "PageDown" ? 1 : -1), true);
        }
    });
    articles.forEach((article, number) => {
        const form = asked(number);
        form?.addEventListener("change", (event) => answer(number, form, Number(event.target.value)));
    });

    document.body.classList.add("played");
    walk.hidden = false;
    const linked = new URLSearchParams(location.hash.slice(1));
    if (document.querySelector(`header [data-language="${CSS.escape(linked.get("language") ?? "")}"]`)) speak(linked.get("language"));
    show(/^\d{1,3}$/.test(linked.get("step") ?? "") ? Number(linked.get("step")) - 1 : 0);
})();
