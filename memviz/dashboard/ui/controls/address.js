// What the address of the page shows: kept in the browser, copied, shown elsewhere. Each component has one of the last four
// functions. How a text is copied is said in memviz/dashboard/stage/copy.js, which stands before this.
const translate = (data) => (text) => data.words?.[text] ?? text; // words come from Python where the page is not English
const ANSWER_MILLISECONDS = 3000; // a browser allows copying for some 5 seconds after a click

// The address of the page is the link as well, so that a reload shows what was there. It replaces the one before:
// *Back* leads to the page before, not through every value that a slider had.
function writeAddress(place, data) {
    place.path ??= location.pathname;
    // Of several places that write it the one that was drawn last knows what the page shows.
    if (location.pathname !== place.path || data.at < (window.memvizAddressAt ?? 0)) return;
    window.memvizAddressAt = data.at;
    // Whether the page is embedded is Streamlit's part of the address, and stays as it is.
    const embed = location.search.slice(1).split("&").filter((part) => /^embed(_options)?=/i.test(part));
    const query = "?" + [data.query, ...embed].filter(Boolean).join("&");
    if (location.search !== query) history.replaceState(history.state, "", location.pathname + query);
}

// What an address asks for, whatever part of the page it shows: the parts that memviz/dashboard/ui/shell/presenting.py knows.
function wholeQuery(query) {
    const parts = [...new URLSearchParams(query)].filter(([name, text]) =>
        !/^(present|hide|embed|embed_options)$/i.test(name) && !(name === "view" && text === "minimal"));
    return new URLSearchParams(parts.map(([name, text]) => [name === "show" ? "view" : name, text]));
}

function keepAddress({ parentElement, data }) {
    writeAddress(parentElement.querySelector("span"), data);
}

// The server is asked for the link when it is clicked: what was changed within a fragment did not draw the button again.
function copyLink({ parentElement, data, setTriggerValue }) {
    const button = parentElement.querySelector("button"), _ = translate(data);
    if (button.said !== _("Copy link")) { // and not each time: it may just say that it has copied
        button.said = button.dataset.words = button.textContent = _("Copy link");
    }
    button.query = data.query;
    writeAddress(button, data);
    if (button.asked !== undefined && button.asked === data.asked) button.answered();
    button.title = data.help;
    button.onclick = async () => {
        await new Promise((resolve) => {
            button.asked = Date.now() % 1e9;
            button.answered = resolve;
            setTimeout(resolve, ANSWER_MILLISECONDS);
            setTriggerValue("asked", button.asked);
        });
        const address = location.origin + location.pathname + "?" + button.query;
        memvizCopy(button, address, () => { prompt(_("Copy this address"), address); });
    };
}

// The links are made when they are asked for: the address may be another by then.
function share({ parentElement, data }) {
    const find = (name) => parentElement.querySelector(name), area = find("textarea"), _ = translate(data);
    const address = (parts) => `${location.origin}${location.pathname}?${parts}`;
    const presented = () => {
        const parts = wholeQuery(location.search);
        parts.set("present", "on");
        return address(parts);
    };
    const code = () => {
        const parts = [...wholeQuery(location.search)].map(([name, text]) => [name === "view" ? "show" : name, text]);
        const query = new URLSearchParams([...parts, ["view", "minimal"], ["embed", "true"]]);
        return `<iframe src="${address(query).replaceAll("&", "&amp;")}" title="memviz" width="100%" height="480" style="border: 0" loading="lazy"></iframe>`;
    };
    const show = () => { area.value = code(); };
    const copy = (button, text, ask = _("Copy this")) => memvizCopy(button, text, () => { prompt(ask, text); });
    find("[name=page]").textContent = _("Copy link");
    find(".said").textContent = _("Present this page");
    find("[name=link]").textContent = _("Copy link for presenting");
    find("[name=code]").textContent = _("Copy code to embed");
    find("summary").textContent = area.ariaLabel = _("Code to embed the picture");
    find(".help").textContent = data.help;
    find("[name=page]").title = data.link_help;
    find("[name=page]").hidden = !data.has_link;
    find("[name=page]").onclick = (event) => copy(event.currentTarget, address(wholeQuery(location.search)), _("Copy this address"));
    find("[name=present]").onclick = () => dispatchEvent(new Event("memviz-present"));
    find("[name=link]").onclick = (event) => copy(event.currentTarget, presented());
    find("[name=code]").title = data.help;
    find("[name=code]").onclick = (event) => { show(); copy(event.currentTarget, code()); };
    find(".share").onpointerenter = find("details").ontoggle = area.onfocus = show;
    show();
}

function openWhole({ parentElement, data }) {
    parentElement.querySelector("span").textContent = data.words;
    parentElement.querySelector("a").textContent = data.open;
    parentElement.querySelector("a").href = `${location.pathname}?${wholeQuery(data.query)}`;
}
