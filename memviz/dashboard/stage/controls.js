// The controls that the player below charts and the stage share: a slider, the buttons of a walk, where it stands, and
// which keys there are. Each player names them in its own words, and puts what else it has before `where`.
const MEMVIZ_ICONS = {
    previous: "M15 2L3 10l12 8z", play: "M5 2l12 8-12 8z", pause: "M4 3h4v14H4zM12 3h4v14h-4z", next: "M3 2l11 8-11 8zM15 2h3v16h-3z",
};
const memvizNumber = (number) => number.toLocaleString("en");
const memvizDollars = (usd) => `$${usd.toLocaleString("en", { maximumSignificantDigits: 2 })}`;

const MEMVIZ_HAN = /^[\u3001-\u303f\u3400-\u9fff\uff01-\uffee“”…]/;

// A text in the language of the page, with the values in its braces: `words` are the translations, which come with the
// data; English has none. A space between a Chinese text and a value goes where the value is Chinese too.
function memvizSay(words, text, values = {}) {
    const fill = (_, before, name, after) => {
        const value = String(values[name]), isHan = words?.[text] && MEMVIZ_HAN.test(value);
        return `${isHan ? "" : before}${value}${words?.[text] && MEMVIZ_HAN.test(value.at(-1) ?? "") ? "" : after}`;
    };
    return (words?.[text] ?? text).replace(/( ?)\{(\w+)\}( ?)/g, fill);
}

function memvizMake(tag, parent, properties = {}, attributes = {}) {
    const element = Object.assign(document.createElement(tag), properties);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    parent?.append(element);
    return element;
}

function memvizButton(name, parent, words, title, act) {
    return memvizMake("button", parent, { type: "button", name, textContent: words, title, onclick: act });
}

function memvizIcon(name) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS(svg.namespaceURI, "path");
    svg.setAttribute("viewBox", "0 0 20 20");
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", MEMVIZ_ICONS[name]);
    svg.append(path);
    return svg;
}

class MemvizControls {
    // The owner of the walk has `_`, which says its texts in the language of the page.
    constructor(walk, parent) {
        const _ = (this._ = walk.owner._);
        this.walk = walk;
        this.bar = memvizMake("div", parent, { className: "controls" }, { role: "group" });
        this.track = memvizMake("div", this.bar, { className: "track" });
        this.slider = memvizMake("input", this.track, { type: "range", min: 0, step: 1, oninput: () => walk.go(Number(this.slider.value)) }, { "aria-label": _("Request") });
        this.row = memvizMake("div", this.bar, { className: "row" });
        this.previous = memvizButton("previous", this.row, "", "", () => walk.step(-1));
        this.play = memvizButton("play", this.row, "", _("Play and pause (space bar)"), () => walk.toggle());
        this.next = memvizButton("next", this.row, "", "", () => walk.step(1));
        this.event = memvizButton("event", this.row, "", "", () => walk.toMark());
        this.previous.append(memvizIcon("previous"));
        this.next.append(memvizIcon("next"));
        this.where = memvizMake("span", this.row, { className: "where" });
        this.keys = memvizMake("span", this.row, { className: "keys", textContent: _("space, ← →, n") }, { "aria-hidden": "true" });
    }

    // `step` is what one of them is: a turn, or a request of it.
    name({ step, previous, next }) {
        const _ = this._, isTurn = step === "turn";
        this.bar.setAttribute("aria-label", isTurn ? _("Walk through the turns") : _("Walk through the requests"));
        this.slider.setAttribute("aria-label", isTurn ? _("Turn") : _("Request"));
        this.previous.setAttribute("aria-label", previous);
        this.previous.title = _("{what} (left arrow key)", { what: previous });
        this.next.setAttribute("aria-label", next);
        this.next.title = _("{what} (right arrow key)", { what: next });
    }

    // `where` is told beside the buttons, `spoken` to who hears the slider.
    draw(where, spoken = where) {
        const { at, isAtEnd, isPlaying, owner } = this.walk, _ = this._;
        this.slider.max = owner.count - 1;
        this.slider.value = at;
        this.slider.setAttribute("aria-valuetext", spoken);
        this.previous.disabled = at <= 0;
        this.next.disabled = isAtEnd;
        this.play.disabled = owner.count < 2;
        this.play.replaceChildren(memvizIcon(isPlaying ? "pause" : "play"), isPlaying ? _("Pause") : _("Play"));
        this.event.disabled = owner.nextMark() === undefined;
        this.where.textContent = where;
    }
}
