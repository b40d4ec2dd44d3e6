// The speaker's keys, and how large the letters of the page are: charts are drawn by the server in letters as large.
// memviz/dashboard/stage/keys.js, which stands before this as speaker.js does, knows where keys belong to something else.
const WALKS = ".st-key-compare-player, .st-key-compare-played, .st-key-lesson-stage"; // what moves by arrow keys itself
const RESIZED_MILLISECONDS = 300;

export default function ({ parentElement, data, setTriggerValue }) {
    const keys = (parentElement.memvizKeys ??= new Keys(parentElement));
    keys.ask = (asked) => setTriggerValue("asked", asked);
    keys.tell = (size) => setTriggerValue("size", size);
    keys.update(data);
    return () => setTimeout(() => keys.leaveIfGone(), 0);
}

class Keys extends Speaker {
    constructor(root) {
        super(root);
        this.listening = new AbortController();
        const { signal } = this.listening;
        addEventListener("memviz-present", () => this.data.on || this.start(), { signal });
        document.addEventListener("keydown", (event) => this.key(event), { signal });
        addEventListener("resize", () => {
            clearTimeout(this.resized);
            this.resized = setTimeout(() => this.size(), RESIZED_MILLISECONDS);
        }, { signal });
    }

    leaveIfGone() {
        if (!this.isThere) this.listening.abort();
    }

    update(data) {
        this.data = data;
        this.size();
        if (MemvizKeys.here.speaker !== this) MemvizKeys.here.listen(this);
    }

    // As presented.css has it.
    get pixels() {
        const least = innerWidth <= 640 ? 18 : 22;
        return Math.round(Math.max(least, Math.min(innerWidth * 22 / 1280, innerHeight * 22 / 720)));
    }

    size() {
        if (!this.isThere || !this.data.on || this.pixels === this.data.pixels || this.pixels === this.told) return;
        this.told = this.pixels;
        this.tell({ pixels: this.pixels });
    }

    key(event) {
        if (!this.isThere) return this.leaveIfGone();
        const target = event.composedPath()[0], { key } = event;
        if (target instanceof Element && target.closest(MEMVIZ_TYPING)) return;
        if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
        const act = this.data.on ? this.presented(key, target) : key === "p" ? () => this.start() : null;
        if (!act) return;
        event.preventDefault();
        act();
    }

    start() {
        sessionStorage.removeItem(SINCE_KEY); // the clock of the notes begins with the presentation
        this.ask({ what: "start", pixels: this.pixels });
    }

    presented(key, target) {
        const arrows = !document.querySelector(WALKS) && !(target instanceof Element && target.closest(MEMVIZ_OWN_ARROWS));
        const leave = () => this.ask({ what: "leave" }), next = () => this.step(1), back = () => this.step(-1);
        const notes = () => dispatchEvent(new Event("memviz-notes"));
        const acts = { PageDown: next, PageUp: back, p: leave, Escape: leave, F5: leave, s: notes };
        return acts[key] ?? (arrows ? { ArrowRight: next, ArrowDown: next, ArrowLeft: back, ArrowUp: back }[key] : null);
    }
}
