// The bar of the speaker. It tells the window of notes, over a channel of this tab, what is shown. speaker.js stands
// before this.
const ID_KEY = "memviz-notes-id";
const WINDOW = "popup,width=760,height=620";

export default function ({ parentElement, data, setTriggerValue }) {
    const bar = (parentElement.memvizBar ??= new Bar(parentElement));
    bar.ask = (asked) => setTriggerValue("asked", asked);
    bar.update(data);
    return () => setTimeout(() => bar.leaveIfGone(), 0);
}

class Bar extends Speaker {
    constructor(root) {
        super(root);
        this.button("back").onclick = () => this.step(-1);
        this.button("next").onclick = () => this.step(1);
        this.button("leave").onclick = () => this.ask({ what: "leave" });
        this.button("notes").onclick = () => this.open();
        this.open = this.open.bind(this);
        addEventListener("memviz-notes", this.open);
        this.id = sessionStorage.getItem(ID_KEY) ?? this.clicker;
        sessionStorage.setItem(ID_KEY, this.id);
        if (!sessionStorage.getItem(SINCE_KEY)) sessionStorage.setItem(SINCE_KEY, Date.now());
        this.channel = new BroadcastChannel(`memviz-notes-${this.id}`);
        this.channel.onmessage = ({ data }) => this.heard(data);
    }

    button(name) {
        return this.root.querySelector(`[name=${name}]`);
    }

    // Of the page that follows another bar tells the rest; if none comes, nothing is presented any more.
    leaveIfGone() {
        if (this.isThere) return;
        removeEventListener("memviz-notes", this.open);
        this.channel.close();
    }

    update(data) {
        if (JSON.stringify(data.words) !== this.words) {
            this.words = JSON.stringify(data.words);
            sayIn(this.root, data.words);
        }
        this.data = data;
        const _ = translate(data.words);
        this.button("back").disabled = data.at <= 0;
        this.button("next").disabled = data.at + 1 >= data.of;
        const where = data.of > 1 ? _("{at} of {all}").replace("{at}", data.at + 1).replace("{all}", data.of) : "";
        if (this.root.querySelector(".where").textContent !== where) this.root.querySelector(".where").textContent = where;
        this.tell();
    }

    tell() {
        const { title, notes, at, of, next } = this.data;
        this.channel.postMessage({ what: "shown", title, notes, at, of, next, since: Number(sessionStorage.getItem(SINCE_KEY)) });
    }

    heard(said) {
        if (!this.isThere) return this.leaveIfGone();
        if (said?.what === "hello") this.tell();
        if (said?.what === "step" && (said.by === 1 || said.by === -1)) this.step(said.by);
        if (said?.what === "restart") {
            sessionStorage.setItem(SINCE_KEY, Date.now());
            this.tell();
        }
    }

    step(by) {
        const to = this.data.at + by;
        if (to < 0 || to >= this.data.of) return;
        super.step(by);
    }

    // The page of the notes is the browser's own: it has memviz's origin, and nothing is fetched for it.
    open() {
        const page = this.data.window.replace("MEMVIZ_CHANNEL", this.channel.name);
        const address = URL.createObjectURL(new Blob([page], { type: "text/html" }));
        open(address, this.channel.name, WINDOW);
    }
}
