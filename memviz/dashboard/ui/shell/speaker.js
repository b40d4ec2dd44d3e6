// What the speaker's keys and the speaker's bar have in common: each asks for pictures on and back. The server counts
// them by who asked, so that two in quick succession are two.
const SINCE_KEY = "memviz-presented-since"; // when the presentation began

// Words come from Python where the page is not English; HTML names its English ones.
const translate = (words) => (text) => words?.[text] ?? text;
const sayIn = (root, words) => {
    const _ = translate(words);
    for (const one of root.querySelectorAll("[data-say]")) one.textContent = _(one.dataset.say);
    for (const one of root.querySelectorAll("[data-title]")) one.title = _(one.dataset.title);
    for (const one of root.querySelectorAll("[data-label]")) one.setAttribute("aria-label", _(one.dataset.label));
};

class Speaker {
    constructor(root) {
        this.root = root;
        this.clicker = crypto.getRandomValues(new Uint32Array(2)).join("-");
        this.steps = 0;
    }

    get isThere() {
        return (this.root.host ?? this.root).isConnected;
    }

    step(by) {
        this.steps += by;
        this.ask({ what: "steps", clicker: this.clicker, steps: this.steps });
    }
}
