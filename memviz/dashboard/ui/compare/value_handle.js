// The handle of a setting's main number. While it is dragged, the curve of the nearest value that was replayed ahead is
// drawn over the chart, whose own lines are pale meanwhile. The server hears of the value once it is let go.
const ASKS_AGAIN_MILLISECONDS = 2_000;
const SVG = "http://www.w3.org/2000/svg";

export default function ({ parentElement, data, setTriggerValue }) {
    const handle = (parentElement.memvizHandle ??= new Handle(parentElement));
    handle.send = (value) => setTriggerValue("value", value);
    handle.askForMore = (missing) => setTriggerValue("more", missing);
    handle.update(data);
    return () => handle.clear();
}

class Handle {
    constructor(root) {
        this.root = root;
        this.range = root.querySelector("input");
        this.isHeld = false;
        this.range.addEventListener("input", () => this.drag());
        // A browser says nothing of a change where the value is the one before.
        for (const event of ["change", "pointerup", "blur"]) this.range.addEventListener(event, () => this.letGo());
        for (const event of ["pointerenter", "focus", "touchstart"]) this.range.addEventListener(event, () => this.want());
    }

    update(data) {
        const isNew = !this.data || this.data.now !== data.now || this.data.name !== data.name || this.data.values.length !== data.values.length;
        this.data = data;
        const _ = this._;
        this.root.querySelector(".handle").style.setProperty("--handle-color", data.color);
        this.root.querySelector(".handle").dataset.missing = data.missing; // curves that are not made yet
        this.root.querySelector(".what").textContent = _("{title} of {name}", data);
        this.range.max = data.values.length - 1;
        this.range.setAttribute("aria-label", _("{title} of {name}", data));
        if (isNew && !this.isHeld) {
            this.range.value = data.values.indexOf(data.now);
            this.clear();
        }
        const ticks = this.root.querySelector(".ticks");
        ticks.replaceChildren(...data.recorded.map((value) => {
            const tick = document.createElement("span");
            tick.title = _("{amount}: recorded", { amount: this.amount(value) });
            tick.style.left = `${(100 * data.values.indexOf(value)) / Math.max(1, data.values.length - 1)}%`;
            return tick;
        }));
        this.say();
        if (this.isHeld) this.draw();
        if (this.isWanted) this.want();
    }

    // Ask for curves that are missing, a few at a time.
    want() {
        this.isWanted = true;
        if (!this.data.missing || this.data.missing === this.asked) return;
        this.askForMore((this.asked = this.data.missing));
        clearTimeout(this.again); // what the page drew meanwhile may have taken the place of the answer
        this.again = setTimeout(() => {
            this.asked = null;
            if (this.root.isConnected) this.want();
        }, ASKS_AGAIN_MILLISECONDS);
    }

    // A text in the language of the page: its translations come with the data.
    _ = (text, values) => (this.data.words?.[text] ?? text).replace(/\{(\w+)\}/g, (found, name) => values[name]);

    amount(value) {
        return this._("{number} {unit}", { number: value.toLocaleString("en"), unit: this.data.unit });
    }

    get value() {
        return this.data.values[Number(this.range.value)];
    }

    say() {
        const _ = this._, words = this.amount(this.value);
        this.root.querySelector("output").textContent = words;
        const tokens = this.isHeld ? this.curve()?.tokens.at(-1) : undefined;
        const last = this.root.querySelector(".last"), isLegend = tokens === undefined && this.data.recorded.length > 0;
        last.classList.toggle("legend", isLegend);
        last.textContent = isLegend ? _("recorded") : "";
        if (tokens !== undefined) last.textContent = _("last request {tokens}", { tokens: tokens.toLocaleString("en") });
        this.range.setAttribute("aria-valuetext", this.data.recorded.includes(this.value) ? _("{amount}, recorded", { amount: words }) : words);
    }

    drag() {
        this.isHeld = true;
        this.say();
        if (this.frame) return;
        this.frame = requestAnimationFrame(() => {
            this.frame = null;
            if (this.isHeld) this.draw();
        });
    }

    letGo() {
        if (!this.isHeld) return;
        this.isHeld = false;
        if (this.value !== this.data.now) this.send(this.value);
        else this.clear();
    }

    // The curve of this value, or of the nearest one that is there already.
    curve() {
        const { values, curves } = this.data, at = Number(this.range.value);
        for (let away = 0; away < values.length; away++) {
            for (const near of [at - away, at + away]) if (curves[values[near]]) return curves[values[near]];
        }
        return null;
    }

    draw() {
        const curve = this.curve(), chart = document.querySelector(`.st-key-${this.data.chart} .js-plotly-plot`), layout = chart?._fullLayout;
        if (!curve || !layout) return;
        if (!this.over || this.over.parentNode !== chart) {
            this.over?.remove();
            this.over = document.createElementNS(SVG, "svg");
            this.over.style.cssText = "position:absolute;inset:0;width:100%;height:100%;pointer-events:none;overflow:hidden";
            this.over.classList.add("memviz-dragged");
            chart.style.position = "relative";
            chart.append(this.over);
        }
        for (const layer of chart.querySelectorAll(".scatterlayer")) layer.style.opacity = 0.3;
        const { xaxis, yaxis } = layout, share = (value, [from, to]) => (value - from) / (to - from);
        const x = (place) => xaxis._offset + share(place, xaxis.range) * xaxis._length;
        const y = (tokens) => yaxis._offset + (1 - share(tokens, yaxis.range)) * yaxis._length;
        const points = curve.tokens.map((tokens, at) => [x(this.data.places[at]), Math.max(yaxis._offset, y(tokens))]);
        const path = this.make("path", { d: `M${points.map((point) => point.map((each) => each.toFixed(1)).join(" ")).join("L")}`, fill: "none", "stroke-width": 3.5 });
        path.style.stroke = this.data.color;
        const diamonds = curve.marks.map((at) => points[at]).filter(Boolean);
        const marks = this.make("path", { d: diamonds.map(([left, top]) => `M${left - 6} ${top}l6 -6l6 6l-6 6z`).join(""), fill: "#8D6BDB" });
        this.over.replaceChildren(path, marks);
    }

    make(kind, attributes) {
        const element = document.createElementNS(SVG, kind);
        for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
        return element;
    }

    clear() {
        const chart = this.over?.parentNode;
        this.over?.remove();
        this.over = null;
        for (const layer of chart?.querySelectorAll(".scatterlayer") ?? []) layer.style.opacity = "";
    }
}
