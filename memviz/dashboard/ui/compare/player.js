// Walks through the requests: in most conversations one a turn, with tools one a call of the model. The line on the
// charts moves here, at once; the server hears of a request when the visitor rests on it, and then draws it. How one
// walks is said in memviz/dashboard/stage/walk.js, and by which buttons in controls.js there; both stand before this.
const LOOK_FOR_CHARTS_MILLISECONDS = 250; // a chart is drawn later than the player, and again when it changes
const CLICK_PIXELS = 4; // a pointer that moved further has zoomed

export default function ({ parentElement, data, setTriggerValue }) {
    const kept = parentElement.memvizPlayer, isOtherLanguage = JSON.stringify(kept?.data.words) !== JSON.stringify(data.words);
    if (kept && isOtherLanguage) kept.replace();
    const player = kept && !isOtherLanguage ? kept : (parentElement.memvizPlayer = new Player(parentElement, data));
    player.send = (move) => setTriggerValue("move", move);
    player.update(data);
    return () => setTimeout(() => player.walk.leaveIfGone(), 0);
}

class Player {
    constructor(root, data) {
        this.root = root;
        this._ = (text, values) => memvizSay((this.data ?? data).words, text, values);
        this.sent = null; // the request that the server was sent and has not confirmed
        this.charts = new Map();
        this.walk = new MemvizWalk(this);
        this.controls = new MemvizControls(this.walk, root.querySelector(".memviz-buttons"));
        const { event } = this.controls, words = memvizMake("span", event, { textContent: this._("next") });
        this.what = memvizMake("span", words, { className: "what" });
        event.append(" ");
        this.diamond = memvizMake("span", event, { className: "diamond" }, { "aria-hidden": "true" });
        this.looking = setInterval(() => this.look(), LOOK_FOR_CHARTS_MILLISECONDS);
    }

    update(data) {
        const first = this.data === undefined;
        this.data = data;
        this.countCalls();
        this.nameSteps();
        if (this.name(data.at) === this.sent) this.confirmed();
        if (first || (this.sent === null && !this.walk.isResting)) {
            this.walk.at = data.at;
            this.setting = data.setting;
        }
        const kept = first ? this.kept() : null;
        if (kept) [this.walk.at, this.setting, this.sent] = [kept.at, kept.setting, kept.sent];
        this.walk.at = Math.min(this.walk.at, data.turns.length - 1);
        this.draw();
        this.look();
        if (kept && kept.sent === null) this.walk.rest();
        if (first) this.walk.begin();
    }

    // Where the visitor went with the player that was in this place before, if the server does not know it yet.
    kept() {
        const { player } = MemvizKeys.here.places;
        const isFresh = player && performance.now() - player.since < MEMVIZ_KEY_WAITS_MILLISECONDS;
        return isFresh && player.count === this.count && this.name(player.at) !== this.name(this.data.at) ? player : null;
    }

    keepPlace() {
        const { count, setting, sent } = this;
        MemvizKeys.here.places.player = { count, at: this.walk.at, setting, sent, since: performance.now() };
    }

    confirmed() {
        this.sent = null;
        delete MemvizKeys.here.places.player;
    }

    // Of each request how many calls of its turn came before it, and how many after it.
    countCalls() {
        const { turns } = this.data;
        this.before = turns.map(() => 0);
        this.behind = turns.map(() => 0);
        for (let at = 1; at < turns.length; at++) if (turns[at] === turns[at - 1]) this.before[at] = this.before[at - 1] + 1;
        for (let at = turns.length - 2; at >= 0; at--) if (turns[at] === turns[at + 1]) this.behind[at] = this.behind[at + 1] + 1;
    }

    // What one step is called: in a conversation without tools every turn is one request.
    nameSteps() {
        const _ = this._, step = this.behind.some(Boolean) ? "request" : "turn";
        if (step === "turn") this.controls.name({ step, previous: _("Previous turn"), next: _("Next turn") });
        else this.controls.name({ step, previous: _("Previous request"), next: _("Next request") });
        this.controls.bar.classList.toggle("calls", step === "request"); // their names are longer
    }

    // The same request has the same name also where a setting took more calls or fewer: they end together.
    name(at) {
        return `${this.data.turns[at]}:${this.behind[at]}`;
    }

    // Where a request stands on the x axis of a chart: `lasts` has the place of the last call of each turn.
    x(at, lasts) {
        const turn = this.data.turns[at];
        if (!lasts) return turn;
        const known = Math.min(turn, lasts.length - 1);
        return lasts[known] + turn - known - this.behind[at];
    }

    // What the walk asks of its owner.

    get count() {
        return this.data.turns.length;
    }

    moved() {
        this.draw();
    }

    rests() {
        this.keepPlace();
    }

    rested(at) {
        this.sent = this.name(at);
        this.keepPlace();
        this.send({ turn: this.data.turns[at], behind: this.behind[at], setting: this.setting });
    }

    nextMark() {
        return this.marks.find((at) => at > this.walk.at) ?? this.marks[0];
    }

    // Another player, in another language, comes into this place.
    replace() {
        this.walk.leave();
        this.controls.bar.remove();
    }

    left() {
        clearInterval(this.looking);
        for (const { line, dot } of this.charts.values()) [line, dot].forEach((mark) => mark.remove());
    }

    get marks() {
        return this.data.marks[this.setting] ?? [];
    }

    get playsOn() {
        return this.controls.play;
    }

    // Drawing.

    draw() {
        if (!this.data) return;
        const { turns } = this.data, { at } = this.walk, _ = this._;
        const isRuled = this.data.ruled.includes(this.setting);
        this.controls.event.title = isRuled ? _("Next change by the rule of this setting (n key)") : _("Next summarization of this setting (n key)");
        this.what.textContent = isRuled ? _(" change") : _(" summarization");
        this.diamond.textContent = isRuled ? "●" : "◆";
        this.diamond.classList.toggle("ruled", isRuled);
        const calls = this.before[at] + 1 + this.behind[at];
        const place = { turn: memvizNumber(turns[at]), turns: memvizNumber(turns.at(-1)), call: memvizNumber(this.before[at] + 1), calls: memvizNumber(calls) };
        const where = calls > 1 ? _("turn {turn} of {turns}, call {call} of {calls}", place) : _("turn {turn} of {turns}", place);
        const marked = isRuled ? _("{where}, changed", { where }) : _("{where}, summarized", { where });
        this.controls.draw(where, this.marks.includes(at) ? marked : where);
        for (const chart of this.charts.keys()) this.place(chart);
    }

    look() {
        if (this.walk.leaveIfGone()) return;
        for (const key of Object.keys(this.data.charts)) {
            const chart = document.querySelector(`.st-key-${key} .js-plotly-plot`);
            if (!chart?._fullLayout?.xaxis || !chart.on) continue;
            if (!this.charts.has(chart)) this.adopt(chart, key);
            const marks = this.charts.get(chart);
            if (marks.layout === chart._fullLayout) continue;
            // Plotly drew it since, and forgets who listens where it begins from nothing: at another height, say.
            for (const [event, hear] of Object.entries(marks.hear)) {
                chart.removeListener(event, hear);
                chart.on(event, hear);
            }
            marks.layout = chart._fullLayout;
            this.place(chart);
        }
        for (const chart of this.charts.keys()) if (!chart.isConnected) this.charts.delete(chart);
    }

    adopt(chart, key) {
        const hear = {
            plotly_afterplot: () => this.place(chart),
            plotly_click: ({ points }) => this.clicked(chart, points[0]),
        };
        this.charts.set(chart, { key, hear, line: this.mark("line"), dot: this.mark("dot") });
        this.listenBeside(chart);
    }

    mark(kind) {
        const mark = document.createElement("div");
        mark.className = `memviz-turn-${kind}`;
        return mark;
    }

    // A point of a chart: Streamlit tells the server of those that carry an id; the others are told by the player.
    clicked(chart, point) {
        this.pointOf = performance.now();
        chart.querySelector(".hoverlayer")?.replaceChildren(); // the reader says it now; a tooltip would cover the line
        if (point.data?.meta === "own-clicks") { // a cell of a memory map: it says a message too
            this.forget();
            return;
        }
        const at = this.nearest(point.x, chart), id = /^(\d+):\d+(:\d+)?$/.exec(point.customdata ?? "");
        if (!id) return this.walk.go(at);
        this.forget();
        this.walk.at = at;
        this.setting = Number(id[1]);
        this.draw();
    }

    // The server hears of the move from elsewhere.
    forget() {
        this.walk.forget();
        this.confirmed();
    }

    // Between the points the nearest request is meant: lines of many requests have no points to hit.
    listenBeside(chart) {
        chart.addEventListener("pointerdown", (down) => {
            const { xaxis, _size } = chart._fullLayout, box = chart.getBoundingClientRect();
            const x = down.clientX - box.left - xaxis._offset, y = down.clientY - box.top - _size.t;
            if (down.button || x < 0 || x > xaxis._length || y < 0 || y > _size.h) return;
            document.activeElement?.blur(); // from now on the arrow keys walk, and choose no other view
            document.addEventListener("pointerup", (up) => { // while a button is down, Plotly covers the chart
                if (Math.hypot(up.clientX - down.clientX, up.clientY - down.clientY) >= CLICK_PIXELS) return;
                const nearest = this.nearest(xaxis.p2d(x), chart), since = performance.now();
                setTimeout(() => {
                    if (this.walk.isThere && !(this.pointOf >= since)) this.walk.go(nearest);
                }, 50); // if a point was hit, Plotly says so by then
            }, { capture: true, once: true });
        }, { capture: true });
    }

    lasts(chart) {
        return this.data.charts[this.charts.get(chart)?.key];
    }

    nearest(x, chart) {
        const lasts = this.lasts(chart), far = (at) => Math.abs(this.x(at, lasts) - x);
        return this.data.turns.reduce((best, _, at) => (far(at) < far(best) ? at : best), 0);
    }

    place(chart) {
        const marks = this.charts.get(chart), layout = chart._fullLayout;
        if (!marks || !layout?.xaxis?.d2p) return;
        const box = chart.querySelector(".svg-container"), { line, dot } = marks;
        if (!box) return;
        if (line.parentElement !== box) {
            const words = box.querySelectorAll(":scope > .main-svg")[1] ?? null; // the layer of legends and annotations
            box.insertBefore(line, words);
            box.append(dot);
        }
        const axis = layout.xaxis, place = this.x(this.walk.at, this.lasts(chart)), x = axis.d2p(place);
        const inside = x >= 0 && x <= axis._length;
        const { t, h } = layout._size;
        Object.assign(line.style, {
            display: inside ? "" : "none", transform: `translateX(${axis._offset + x - 1}px)`, top: `${t}px`,
            height: `${h}px`,
        });
        const at = inside ? this.height(chart, place) : null;
        Object.assign(dot.style, {
            display: at === null ? "none" : "", transform: `translate(${axis._offset + x - 7}px, ${(at ?? 0) - 7}px)`,
        });
        if (marks.key === Object.keys(this.data.charts)[0]) this.align(chart, axis);
    }

    // How far down the chosen setting's line is at this place.
    height(chart, place) {
        const group = String(this.setting);
        const trace = chart._fullData.find((one) => one.legendgroup === group && one.mode?.startsWith("lines") &&
            one.visible === true && one.hoverinfo !== "skip");
        const index = trace ? Array.prototype.indexOf.call(trace.x, place) : -1;
        if (index < 0) return null;
        const axis = chart._fullLayout[trace.yaxis.replace("y", "yaxis")], y = axis.d2p(trace.y[index]);
        return y >= 0 && y <= axis._length ? axis._offset + y : null;
    }

    // The slider stands under the chart: its knob below the line.
    align(chart, axis) {
        const lasts = this.lasts(chart), knob = 16, { slider, track } = this.controls, own = track.getBoundingClientRect();
        const left = chart.getBoundingClientRect().left + axis._offset - own.left;
        const [first, last] = [left + axis.d2p(this.x(0, lasts)), left + axis.d2p(this.x(this.data.turns.length - 1, lasts))];
        const fits = first >= 0 && last <= own.width && last - first > own.width / 3;
        slider.style.marginLeft = fits ? `${Math.max(0, first - knob / 2)}px` : "0";
        slider.style.width = fits ? `${last - first + knob}px` : "100%";
    }
}
