// The stage: play, pause, one on, one back, to the next event, over frames that are all in the page.
const MEMVIZ_EVENT_MILLISECONDS = 1900, MEMVIZ_OTHER_MILLISECONDS = 1100, MEMVIZ_QUIET_MILLISECONDS = 480, MEMVIZ_BACK_MILLISECONDS = 320;
const MEMVIZ_READ_MILLISECONDS = 3200, MEMVIZ_SEE_MILLISECONDS = 1500, MEMVIZ_SPEEDS = [0.5, 1, 2, 4];
const MEMVIZ_TOP_SHARE = 0.6; // of the window: what stands above a stage that is further down is scrolled away
const MEMVIZ_FITTINGS = ["roomy", "low", "tight"]; // how the height of the window is used
const MEMVIZ_MOST_TOLD = 4; // of what happened at one step
const MEMVIZ_PHONE_PIXELS = 640; // up to this width things stand below each other
const MEMVIZ_LETTER_EM = 0.5; // how wide a letter is on average
const MEMVIZ_CUT_ROW_EM = 2.27; // a row with room for three small lines
const MEMVIZ_CONTROLS = ["previous", "play", "next", "event", "speed", "slider", "facts", "legend", "ask", "keys"];
const MEMVIZ_SIGNS = { summarized: "◆", "fact lost": "○", recalled: "▲", failed: "✕", cleared: "●", shortened: "●", dropped: "↓", switched: "→", decided: "✎" };
// What is said in the language of the page: `_` says it.
const memvizKnown = (_) => ["", _("lost"), _("system prompt"), _("in the summary"), _("brought back"), _("word for word"), _("contradicted"), _("unknown")];
const memvizRead = (_) => ({ // of a request in dollars, by who broke the cached prefix
    summary: _("of [{tokens} tokens], {cached} were read from the cache: a new summary stands where the cache held messages."),
    reduction: _("of [{tokens} tokens], {cached} were read from the cache: messages that it held were cleared or shortened."),
    window: _("of [{tokens} tokens], {cached} were read from the cache: the window moved, so the request begins with another message."),
    pause: _("of [{tokens} tokens], {cached} were read from the cache: the pause was longer than it keeps anything."),
    other: _("of [{tokens} tokens], {cached} were read from the cache: a recall, another setting or other tools changed the beginning."),
    "": _("of [{tokens} tokens], {cached} were read from the cache."),
});
const memvizRoles = (_) => ({ user: _("user"), assistant: _("assistant"), tool: _("tool"), system: _("system") });
const memvizParts = (_) => ({ recalled: _("Recalled"), input: _("Newest message"), tools: _("Tools"), system: _("System prompt") });
const memvizMeasures = (_) => ({ tokens: _("in tokens"), dollars: _("in dollars"), memory: _("in memory") });
const memvizFills = (_) => ({ messages: _("{held} of {limit} messages"), turns: _("{held} of {limit} turns"), facts: _("{held} of {limit} facts"), seconds: _("{held} of {limit} seconds") });

// A sentence in parts of which every second one is said with emphasis: what stands in brackets.
const memvizSentence = (text) => text.split(/[[\]]/);

class MemvizStage {
    constructor(root, data, { onMove, onAnswer, windowHeight = () => innerHeight } = {}) {
        this.root = root;
        this.data = data;
        this._ = (text, values) => memvizSay(this.data.words, text, values);
        this.onMove = onMove;
        this.onAnswer = onAnswer;
        this.windowHeight = windowHeight; // a frame that is as high as its content says another one
        this.kind = "";
        this.speed = 1;
        this.asks = false;
        this.calm = matchMedia("(prefers-reduced-motion: reduce)");
        this.answers = new Map(); // of questions by their number: whether the answer was right
        this.walk = new MemvizWalk(this);
        this.build();
        const { signal } = this.walk;
        this.sizes = new ResizeObserver(() => this.resize());
        // What stands above it may grow, and lanes become lower where a summary that is read needs the room.
        for (const box of [this.place, this.reader, ...this.around()]) this.sizes.observe(box);
        addEventListener("resize", () => this.resize(), { signal });
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolor(), { signal });
        this.update(data);
        this.walk.begin();
    }

    // Other data, or the same with another step or setting to stand at.
    update(data) {
        const isFirst = this.id === undefined, isSame = !isFirst && this.id === data.id;
        this.restsWhilePlaying = Boolean(data.tells_while_playing); // else the server hears of a step on which the visitor stays
        this.resize(); // what stands above may be another
        if (isSame && this.serial === data.serial) return this.recolor();
        const kept = this.kept(data, isFirst);
        const playsOn = !isFirst && this.walk.isPlaying && this.restsWhilePlaying && this.scene(data) === this.scene(this.data); // into the next part
        this.serial = data.serial;
        if (!kept) {
            if (!isFirst) this.walk.stop();
            this.walk.forget();
        }
        const { step, chosen } = kept ?? { step: data.at, chosen: data.chosen ?? 0 };
        this.chosen = Math.min(chosen, data.settings.length - 1);
        this.walk.at = Math.max(0, Math.min(data.steps.length - 1, step - data.first));
        if (!isSame) this.load(data);
        this.moved();
        if (kept && isFirst) this.goOn(kept);
        else if (playsOn && !this.walk.isPlaying) this.walk.play();
    }

    // Where the visitor went, if the page did not know it yet when it said where to stand: `moves` is how many moves it
    // had heard of. A stage that comes in the place of another one looks the same and was told the same.
    kept(data, isFirst) {
        const { places, moves } = MemvizKeys.here, { stage } = places;
        if (!stage || stage.scene !== this.scene(data)) return null;
        if (isFirst && data.id !== undefined && stage.id === data.id && stage.serial === data.serial) return stage;
        const isFresh = performance.now() - stage.since < MEMVIZ_KEY_WAITS_MILLISECONDS;
        return isFresh && (!stage.isTold || data.moves < moves) ? stage : null;
    }

    goOn({ isTold, isPlaying }) {
        if (isPlaying) this.walk.play();
        else if (!isTold) this.walk.rest();
    }

    // What is told apart here: the same steps of the same settings, in whatever language they are named.
    scene({ scene, of, settings }) {
        return JSON.stringify([scene, of, settings.map(({ setting, label }) => setting ?? label)]);
    }

    // Keep where the visitor is, until the page was told.
    keepPlace(isTold) {
        const { data, walk, chosen, id, serial } = this;
        const place = { scene: this.scene(data), id, serial, step: walk.at + data.first, chosen, isTold, isPlaying: walk.isPlaying };
        MemvizKeys.here.places.stage = { ...place, since: performance.now() };
    }

    load(data) {
        this.id = data.id ?? Math.random();
        this.data = data;
        this.frames = new MemvizFrames(data);
        this.answers.clear();
        this.asking = null;
        this.shown = undefined;
        this.reader.hidden = true; // the summary of another scene
        if (this.picture) this.picture.leave();
        this.picture = new MemvizPicture(this.canvas, this.frames, this._);
        this.picture.chosen = this.chosen;
        this.picture.onPhase = (isBefore) => this.drawReadouts(isBefore);
        this.buildLabels();
        this.buildFacts();
        this.buildChoices();
        this.buildLegend();
        this.resize();
    }

    get count() {
        return this.data.steps.length;
    }

    // The elements.

    build() {
        const _ = this._;
        this.box = memvizMake("div", this.root, { className: "memviz-stage memviz-buttons" }, { role: "group", "aria-label": _("The animation: requests, step by step") });
        this.place = memvizMake("div", this.box, { className: "place" });
        this.canvas = memvizMake("canvas", this.place, {}, { role: "img" });
        this.labels = memvizMake("div", this.place, { className: "labels" });
        this.tip = memvizMake("div", this.place, { className: "tip", hidden: true });
        this.legend = memvizMake("ul", this.box, { className: "legend" }, { "aria-label": _("What the colours mean") });
        this.factRow = memvizMake("ul", this.box, { className: "facts", tabIndex: 0 }, { "aria-label": _("Facts that the request knows or has lost") });
        this.live = memvizMake("div", this.box, { className: "heard" }, { role: "status", "aria-live": "polite" });
        this.buildControls();
        this.canvas.onpointermove = (event) => this.point(event);
        this.canvas.onpointerleave = () => (this.tip.hidden = true);
        this.canvas.onclick = (event) => this.point(event, true);
        this.reader.onkeydown = (event) => event.key === "Escape" && this.read(false);
    }

    // Home and End lead to the first and the last request.
    get takesEnds() {
        return true;
    }

    buildControls() {
        const _ = this._;
        const foot = (this.foot = memvizMake("div", this.box, { className: "foot" })); // stays in view where the lanes do not fit
        this.reader = memvizMake("div", foot, { className: "reader", tabIndex: 0, hidden: true }, { role: "region", "aria-label": _("The summary in full") });
        this.sentence = memvizMake("div", foot, { className: "sentence" });
        this.question = memvizMake("div", foot, { className: "question", hidden: true }, { role: "group", "aria-label": _("Before you see it") });
        this.controls = new MemvizControls(this.walk, foot);
        const { track, row, event, where, keys } = this.controls;
        this.marks = memvizMake("div", track, { className: "marks" }, { "aria-hidden": "true" });
        keys.textContent = _("space, ← →, Home End, n");
        event.textContent = _("next ◆");
        event.title = _("To the next event (n key)");
        event.setAttribute("aria-label", event.title);
        this.kinds = memvizMake("select", row, { name: "kind", onchange: () => this.drawControls() }, { "aria-label": _("Which event comes next") });
        this.speeds = memvizMake("select", row, { name: "speed", onchange: () => (this.speed = Number(this.speeds.value)) }, { "aria-label": _("Speed") });
        for (const speed of MEMVIZ_SPEEDS) memvizMake("option", this.speeds, { value: speed, textContent: `${speed}×`, selected: speed === 1 });
        this.measures = memvizMake("select", row, { name: "measure", onchange: () => this.measureIn(this.measures.value) }, { "aria-label": _("What the lanes say") });
        this.askLabel = memvizMake("label", row, { className: "ask" });
        this.askBox = memvizMake("input", this.askLabel, { type: "checkbox", onchange: () => this.askFirst(this.askBox.checked) });
        this.askLabel.append(_("Ask me first"));
        this.score = memvizMake("span", row, { className: "score" });
        this.readButton = memvizButton("read", row, _("Read the summary"), _("The text of the summary in this request"), () => this.read(this.reader.hidden));
        row.append(where, keys);
    }

    buildLabels() {
        this.labels.replaceChildren();
        this.rows = this.data.settings.map((setting, number) => {
            const row = memvizButton("setting", this.labels, "", "", () => this.choose(number));
            row.title = setting.rule ? this._("It {rule}.", { rule: setting.rule }) : "";
            row.style.setProperty("--setting", `var(--setting-${setting.index % 10})`);
            memvizMake("span", row, { className: "name", textContent: setting.label, title: setting.label });
            const said = memvizMake("span", row, { className: "said" });
            const [readout, fill] = ["readout", "fill"].map((className) => memvizMake("span", said, { className }));
            return { row, said, readout, fill };
        });
        this.labels.classList.toggle("alone", this.data.settings.length === 1);
    }

    // Facts that are followed come first, then those that this step lost, so that they are seen where there is no room
    // for all.
    buildFacts() {
        const { facts, highlight } = this.data, followed = highlight?.facts ?? [], _ = this._;
        const name = memvizMake("li", null, { className: "name", textContent: _("Facts") });
        this.allFacts = memvizButton("all-facts", name, "", "", () => this.showFacts(!this.factRow.classList.contains("all")));
        this.chips = facts.map(({ answer, question, turn }, number) => {
            const chip = memvizMake("li", null, { title: turn ? _("{question} (said in turn {turn})", { question, turn }) : question });
            chip.classList.toggle("highlight", followed.includes(number));
            memvizMake("bdi", chip, { textContent: answer.length > 34 ? `${answer.slice(0, 33)}…` : answer });
            return { chip, state: memvizMake("span", chip, { className: "heard" }) };
        });
        this.drawFacts(false); // before they are seen: what changes afterwards fades for a second
        const later = this.chips.filter((chip, number) => !followed.includes(number));
        this.factRow.replaceChildren(name, ...followed.map((number) => this.chips[number]?.chip ?? ""), ...later.map(({ chip }) => chip));
        // What is followed stays in view with the foot.
        if (followed.length) this.foot.prepend(this.factRow);
        else this.live.before(this.factRow);
        this.showFacts(false);
    }

    // All of them, or as many rows as there is room for; then a button says that there are more.
    showFacts(all) {
        const _ = this._;
        this.factRow.classList.toggle("all", all);
        this.allFacts.hidden = !all && this.factRow.scrollHeight <= this.factRow.clientHeight + 2;
        const many = this.chips.filter(({ chip }) => !chip.hidden).length;
        this.allFacts.textContent = all ? _("fewer") : _("all {number} ▾", { number: memvizNumber(many) });
        this.allFacts.setAttribute("aria-label", all ? _("Show fewer facts") : _("Show all facts"));
        this.allFacts.setAttribute("aria-expanded", String(all));
    }

    buildChoices() {
        const { data } = this, _ = this._, found = new Set(data.settings.flatMap((setting) => setting.requests.flatMap((request) => (request?.events ?? []).map((event) => event.kind))));
        this.kinds.replaceChildren();
        const add = (value, textContent) => memvizMake("option", this.kinds, { value, textContent });
        add("", _("event"));
        for (const [kind, noun] of Object.entries(data.kinds)) if (found.has(kind)) add(kind, noun);
        if (data.settings.length > 1) add("any", _("event of any setting"));
        const measures = data.measures ?? [data.measure];
        this.measures.replaceChildren();
        for (const measure of measures) memvizMake("option", this.measures, { value: measure, textContent: memvizMeasures(_)[measure], selected: measure === data.measure });
        this.measures.hidden = measures.length < 2;
        const shows = (name) => (data.controls ?? MEMVIZ_CONTROLS).includes(name);
        const walks = (name) => shows(name) && this.count > 1; // one step alone leads nowhere
        for (const name of ["previous", "play", "next"]) this.controls[name].hidden = !walks(name);
        this.speeds.hidden = !walks("speed");
        this.controls.track.hidden = !walks("slider");
        this.controls.keys.hidden = !walks("keys");
        this.factRow.hidden = !shows("facts") || !data.facts.length;
        this.askLabel.hidden = !shows("ask") || !data.questions.length;
        this.asks = this.askBox.checked && !this.askLabel.hidden;
        this.controls.name({ step: data.step, previous: _("One request back"), next: _("One request on") });
    }

    buildLegend() {
        const _ = this._, { titles } = this.data.colors, { parts, fateColors } = this.picture, { codes, kinds, isLost, isContradicted, isUnknown } = this.drawn();
        this.legend.replaceChildren();
        const entry = (className, color, words) => {
            const item = memvizMake("li", this.legend);
            memvizMake("span", item, { className: `swatch ${className}` }).style.background = color;
            item.append(words);
        };
        for (const code of [7, 9, 8, 6, 2, 3, 4, 5, 10, 1]) if (codes.has(code)) {
            const color = memvizCss(fateColors[code]), share = 100 * (MEMVIZ_WORN[code] ?? 1);
            entry("", share < 100 ? `linear-gradient(to top, ${color} ${share}%, var(--stage-empty) ${share}%)` : color, code === 2 ? _("Summary, and messages in it") : titles[code]);
        }
        if (this.frames.isDollars) {
            const { history } = parts, pale = memvizMix(history, this.picture.look?.page ?? [255, 255, 255, 1], MEMVIZ_CACHED);
            entry("", memvizCss(pale), _("Pale: read from the cache"));
        }
        for (const [kind, words] of Object.entries(memvizParts(_))) if (kinds.has(kind)) entry("", memvizCss(parts[kind]), words);
        if (isLost) entry("lost", "", _("Lost fact"));
        if (isContradicted) entry("contradicted", "", _("Contradicted fact: denied or outdated"));
        if (isUnknown) entry("", memvizCss(fateColors[10]), _("Unknown fact: it may stand in the block"));
        this.legend.hidden = !(this.data.controls ?? MEMVIZ_CONTROLS).includes("legend");
    }

    // What is drawn at any step: codes of fates, kinds of parts, and whether a fact is lost or contradicted.
    drawn() {
        const codes = new Set(), kinds = new Set(), { settings, pieces, facts } = this.data;
        let isLost = false, isContradicted = false, isUnknown = false;
        settings.forEach(({ requests }, setting) => requests.forEach((request, at) => {
            if (!request) return;
            for (const [, , code] of request.fates ?? []) codes.add(code);
            for (const [letter] of request.pieces) kinds.add(pieces[letter]);
            isLost ||= facts.length > 0 && (request.known ?? "").includes("1");
            isContradicted ||= facts.length > 0 && (request.known ?? "").includes("6");
            isUnknown ||= facts.length > 0 && (request.known ?? "").includes("7");
            if (!kinds.has("tools") && this.frames.blocks(setting, at).some((block) => block.kind === "tools" || (block.kind === "history" && this.frames.message(setting, block.position)?.[0] === "tool"))) kinds.add("tools");
        }));
        if (codes.has(6)) kinds.delete("recalled");
        if (codes.has(10) && !codes.has(2)) kinds.delete("summary");
        return { codes, kinds, isLost, isContradicted, isUnknown };
    }

    // Room and colours.

    resize() {
        const width = Math.floor(this.place.clientWidth);
        if (!width || !this.frames) return;
        const em = parseFloat(getComputedStyle(this.place).fontSize), key = [this.id, width, em, this.height(), this.question.offsetHeight, this.reader.offsetHeight, this.controls.row.offsetHeight].join();
        if (this.arranged === key) return;
        this.arranged = key;
        [this.width, this.em] = [width, em];
        this.fit();
        const { isWide, lanes, left, laneHeight, gap, height } = this.picture.room, isTight = this.box.matches(".tight");
        this.place.style.height = `${height}px`;
        this.labels.classList.toggle("roomy", isWide && this.data.settings.length <= 4 && laneHeight >= 2.6 * em);
        lanes.forEach(({ top, labelTop }, at) => {
            const { row } = this.rows[at], over = isTight ? gap / 2 - 1 : 2;
            row.style.top = `${isWide ? top - over : labelTop}px`;
            row.style.width = isWide ? `${left - 8}px` : "100%";
            row.style.height = isWide ? `${laneHeight + 2 * over}px` : "";
            this.fitName(row, isWide && laneHeight + 2 * over >= MEMVIZ_CUT_ROW_EM * em);
        });
        this.readColors();
        this.picture.show(this.walk?.at ?? 0, 0);
        this.placeMarks();
    }

    // A name that would be cut takes two smaller lines, for settings often differ in their last parameter.
    fitName(row, hasRoom) {
        row.classList.remove("cut");
        const name = row.firstElementChild;
        row.classList.toggle("cut", hasRoom && name.scrollWidth > name.clientWidth + 1);
    }

    around() {
        const found = [];
        for (let box = this.root; box; box = box.parentElement ?? box.getRootNode().host) found.push(box);
        return found;
    }

    // The height that the window has for the stage: all below what stands above it, or all where that is far down.
    height() {
        const scrolled = this.around().reduce((sum, { scrollTop }) => sum + scrollTop, 0), top = this.box.getBoundingClientRect().top + scrolled;
        const windowHeight = this.windowHeight();
        return Math.round(windowHeight - (top < MEMVIZ_TOP_SHARE * windowHeight ? top : 0));
    }

    // Lanes, facts, sentence and buttons are seen at once: first lanes become lower, then the legend goes below, then
    // less room is kept for the sentence. On a phone one scrolls to the stage anyway.
    fit() {
        const isNarrow = this.width < 40 * this.em, { lines } = this, isPhone = innerWidth <= MEMVIZ_PHONE_PIXELS, windowHeight = this.windowHeight();
        this.box.classList.toggle("narrow", isNarrow);
        const ways = isNarrow ? [[this.height(), 4], [isPhone ? windowHeight : this.height(), 2], [windowHeight, 2]] : [[this.height(), 2]];
        for (const [height, least] of ways) {
            for (const fitting of MEMVIZ_FITTINGS) {
                for (const one of MEMVIZ_FITTINGS) this.box.classList.toggle(one, one === fitting);
                this.box.style.setProperty("--sentence-lines", Math.min(lines, least + (fitting !== "tight")));
                if (this.picture.resize(this.width, this.em, height - this.besides(), fitting)) return;
            }
        }
    }

    // How many lines the sentence takes at most: so many are kept, so that little moves from step to step.
    get lines() {
        const perLine = (this.width / this.em - 3) / MEMVIZ_LETTER_EM;
        let most = 2;
        for (let setting = 0; setting < this.data.settings.length; setting++) {
            for (let at = 0; at < this.count; at++) {
                const sentences = this.frames.events(setting, at).slice(0, MEMVIZ_MOST_TOLD).map(({ sentence }) => sentence), cache = this.cacheSentence(at, setting);
                if (cache) sentences.push(cache);
                const lines = sentences.map((sentence) => Math.ceil((sentence.join("").length + 9) / perLine));
                most = Math.max(most, lines.reduce((sum, one) => sum + one, 0));
            }
        }
        return most;
    }

    // The height of all but the picture, with all facts, and the sentence at its usual height or the question in its place.
    besides() {
        const outer = (element) => {
            const { marginTop, marginBottom } = getComputedStyle(element);
            return element.hidden ? 0 : element.offsetHeight + parseFloat(marginTop) + parseFloat(marginBottom);
        };
        const hidden = this.chips.filter(({ chip }) => chip.hidden), told = [...this.sentence.childNodes];
        for (const { chip } of hidden) chip.hidden = false;
        this.sentence.replaceChildren();
        const isBelow = this.box.matches(".tight, .narrow"); // the legend
        const facts = this.foot.contains(this.factRow) ? 0 : outer(this.factRow);
        const height = outer(this.foot) + facts + (isBelow ? 0 : outer(this.legend));
        this.sentence.replaceChildren(...told);
        for (const { chip } of hidden) chip.hidden = true;
        return Math.ceil(height);
    }

    readColors() {
        const probe = this.probe ?? (this.probe = memvizMake("span", this.place, { className: "heard" }));
        const read = (variable) => {
            probe.style.color = `var(${variable})`;
            return getComputedStyle(probe).color;
        };
        const look = { font: getComputedStyle(this.box).fontFamily };
        for (const name of ["text", "muted", "surface", "empty", "summary"]) look[name] = read(`--stage-${name}`);
        look.page = memvizColor(read("--stage-page"));
        const isNew = JSON.stringify(look) !== JSON.stringify(this.picture.look);
        this.picture.look = look;
        return isNew;
    }

    recolor() {
        if (this.picture?.room && this.readColors()) this.picture.run();
    }

    // Moving. What the walk asks of its owner.

    moved() {
        const { at } = this.walk, from = this.shown;
        this.drawControls();
        if (from === at && this.shownChosen === this.chosen) return;
        const isOn = from !== undefined && at === from + 1;
        const length = { chosen: MEMVIZ_EVENT_MILLISECONDS, other: MEMVIZ_OTHER_MILLISECONDS, none: MEMVIZ_QUIET_MILLISECONDS }[this.eventAt(at)];
        const milliseconds = from === undefined || this.calm.matches ? 0 : (isOn ? length : MEMVIZ_BACK_MILLISECONDS) / this.speed;
        [this.shown, this.shownChosen] = [at, this.chosen];
        this.picture.chosen = this.chosen;
        this.tip.hidden = true;
        this.recolor();
        this.picture.show(at, milliseconds, isOn);
        this.drawSentence();
    }

    // Who turns to something else sees the request that the rest of the page then speaks of.
    get playsOn() {
        return this.root;
    }

    rests() {
        this.keepPlace(false);
    }

    rested(at) {
        const [turn, call, calls] = this.data.steps[at], number = ++MemvizKeys.here.moves;
        this.keepPlace(true);
        if (this.isPending(at)) return; // no request that could be selected
        this.onMove?.({ step: at + this.data.first, turn, call, behind: calls - call, setting: this.chosen, number });
    }

    // Whether nobody has answered the request of a step yet: it is shown, and counts nowhere.
    isPending(at) {
        return this.data.settings.some((_, one) => this.frames.frame(one, at)?.request.pending);
    }

    // Who asked for the stage plays it next; the focus of somebody who is elsewhere by now stays there.
    takeFocus() {
        if (document.activeElement === document.body) this.controls.play.focus({ preventScroll: true });
    }

    nextMark() {
        const kind = this.kinds.value;
        return this.frames.nextEvent(this.walk.at, kind === "any" ? null : this.chosen, kind === "any" ? "" : kind);
    }

    // While playing, there is time to read what happened to the chosen setting, and to see what happened to another.
    milliseconds() {
        const pause = { chosen: MEMVIZ_READ_MILLISECONDS, other: MEMVIZ_SEE_MILLISECONDS, none: MEMVIZ_STEP_MILLISECONDS };
        return pause[this.eventAt(this.walk.at)] / this.speed;
    }

    // Whether something happens at a step: to the chosen setting, to another one, or to none.
    eventAt(at) {
        const tells = (one) => this.frames.events(one, at).some(({ kind }) => kind !== "dropped");
        if (tells(this.chosen)) return "chosen";
        return this.data.settings.some((_, one) => this.frames.frame(one, at)?.isOwn && this.frames.frame(one, at).request.before) ? "other" : "none";
    }

    left() {
        this.picture?.leave();
        this.sizes.disconnect();
    }

    leave() {
        this.walk.leave();
        this.box.remove();
    }

    leaveIfGone() {
        this.walk.leaveIfGone();
    }

    choose(number) {
        this.chosen = number;
        this.moved();
        this.walk.rest();
    }

    go(step) {
        this.walk.go(step - this.data.first);
    }

    // Predictions: before a step that somebody asks about, the walk waits for an answer.

    askFirst(asks) {
        this.asks = asks;
        if (!asks) this.dismiss();
        this.drawControls();
    }

    mayEnter(at) {
        if (this.asking) return false;
        if (!this.asks || at <= this.walk.at) return true;
        const number = this.data.questions.findIndex(({ step }, which) => step - this.data.first > this.walk.at && step - this.data.first <= at && !this.answers.has(which));
        if (number < 0) return true;
        const before = this.data.questions[number].step - this.data.first - 1;
        const goesOn = this.walk.isPlaying;
        this.walk.stop();
        if (before > this.walk.at) this.walk.go(before);
        this.ask(number, goesOn);
        return false;
    }

    ask(number, goesOn) {
        const asked = this.data.questions[number], before = this._("Before you see it: ");
        this.asking = { number, at: asked.step - this.data.first, goesOn };
        if (asked.setting !== null && asked.setting !== undefined) this.choose(asked.setting);
        this.question.replaceChildren();
        this.question.hidden = false;
        const words = memvizMake("p", this.question);
        memvizMake("b", words, { textContent: before });
        words.append(asked.text);
        const choices = memvizMake("div", this.question, { className: "choices" });
        asked.choices.forEach((choice, which) => memvizMake("button", choices, { type: "button", textContent: choice, onclick: () => this.answer(which) }));
        this.resize();
        choices.firstChild?.focus({ preventScroll: true });
        this.live.textContent = before + asked.text;
    }

    answer(which) {
        const { number, at, goesOn } = this.asking, asked = this.data.questions[number], isRight = which === asked.answer;
        const _ = this._, verdict = isRight ? _("Right. ") : _("No: {choice}. ", { choice: asked.choices[asked.answer] });
        this.answers.set(number, isRight);
        this.onAnswer?.({ question: number, choice: which, right: isRight });
        [...this.question.querySelectorAll(".choices button")].forEach((button, one) => {
            button.disabled = true;
            if (one === asked.answer) button.classList.add("right");
            else if (one === which) button.classList.add("wrong");
        });
        const reason = memvizMake("p", this.question, { className: "reason" });
        memvizMake("b", reason, { textContent: verdict });
        reason.append(asked.reason);
        const on = memvizMake("button", this.question, { type: "button", className: "on", textContent: _("See it") });
        on.onclick = () => this.dismiss(at, goesOn);
        this.resize();
        on.focus({ preventScroll: true });
        this.live.textContent = verdict + asked.reason;
        this.drawControls();
    }

    dismiss(at, goesOn) {
        this.question.hidden = true;
        this.asking = null;
        this.resize();
        if (at === undefined) return;
        this.controls.play.focus({ preventScroll: true });
        this.walk.enter(at);
        if (goesOn && !this.asking) this.walk.play();
    }

    // Drawing.

    drawControls() {
        const { at } = this.walk, { first, of } = this.data, _ = this._, isPart = this.count < of, name = this.stepName(at, isPart);
        const part = { name, first: memvizNumber(first + 1), last: memvizNumber(first + this.count), all: memvizNumber(of) };
        const where = this.data.step === "turn" ? _("{name} · turns {first} to {last} of {all}", part) : _("{name} · requests {first} to {last} of {all}", part);
        this.controls.draw(isPart ? where : name, name);
        const right = [...this.answers.values()].filter(Boolean).length;
        const { chosen } = this, happens = this.kinds.value === "any" || this.data.steps.some((_, one) => this.frames.events(chosen, one).some(({ kind }) => kind !== "dropped"));
        this.kinds.hidden = this.controls.event.hidden = !happens || this.count < 2 || !(this.data.controls ?? MEMVIZ_CONTROLS).includes("event");
        this.score.textContent = this.answers.size ? _("{right} of {all} right", { right, all: this.answers.size }) : "";
        this.rows.forEach(({ row }, number) => row.setAttribute("aria-pressed", String(number === this.chosen)));
        this.placeMarks();
    }

    // Which request a step is, and of how many turns where all of them are shown.
    stepName(at, isPart) {
        const { steps } = this.data, [turn, call, calls] = steps[at], _ = this._;
        const values = { turn: memvizNumber(turn), turns: memvizNumber(steps.at(-1)[0]), call, calls };
        const ofTurns = calls > 1 ? _("turn {turn} of {turns}, call {call} of {calls}", values) : _("turn {turn} of {turns}", values);
        const alone = calls > 1 ? _("turn {turn}, call {call} of {calls}", values) : _("turn {turn}", values);
        const name = isPart ? alone : ofTurns;
        return this.isPending(at) ? _("{name}, pending", { name }) : name;
    }

    // Signs of the chosen setting's events along the slider; what is still to be asked about is not told.
    placeMarks() {
        const key = `${this.id}:${this.chosen}:${this.asks && this.walk.at}`;
        if (this.marked === key || !this.frames) return;
        this.marked = key;
        this.marks.replaceChildren();
        for (let at = 0; at < this.count; at++) {
            if (this.asks && at > this.walk.at) break;
            const told = this.frames.events(this.chosen, at).find(({ kind }) => kind !== "dropped");
            if (!told || this.marks.childElementCount >= 150) continue;
            const mark = memvizMake("span", this.marks, { textContent: MEMVIZ_SIGNS[told.kind] ?? "●" }, { "data-kind": told.kind });
            mark.style.left = `${(100 * at) / Math.max(1, this.count - 1)}%`;
        }
    }

    // Lanes are as long as what they say.
    measureIn(measure) {
        this.frames.measureIn(measure);
        this.buildLegend();
        this.picture.show(this.walk.at, this.calm.matches ? 0 : MEMVIZ_BACK_MILLISECONDS);
        this.drawReadouts(false);
        this.drawSentence();
    }

    drawReadouts(isBefore = this.picture.isBefore) {
        const { at } = this.walk;
        this.rows.forEach(({ readout, fill }, number) => {
            const frame = this.frames.frame(number, at), before = isBefore && frame?.isOwn && frame.request.before;
            readout.textContent = frame ? this.readout(frame, before) : this._("no request yet");
            const rule = this.frames.limit(number, at, true);
            readout.classList.toggle("over", Boolean(before && rule && rule.counted > rule.tokens));
            const [held, limit, unit] = frame?.request.fill ?? [];
            const words = memvizFills((text) => text)[unit] ?? ""; // tokens are said already
            fill.textContent = words && this._(words, { held: memvizNumber(held), limit: memvizNumber(limit) });
            this.fitFill(this.rows[number]);
        });
        this.drawFacts(isBefore);
        this.drawSummary();
        this.describe();
    }

    // How full a setting is, is said in full or, where there is no room for it, under the pointer.
    fitFill({ row, said, fill }) {
        fill.hidden = false;
        fill.hidden = said.scrollWidth > said.clientWidth + 1 || row.scrollHeight > row.clientHeight + 1;
        said.title = fill.hidden ? said.textContent : "";
    }

    // The summaries that the chosen setting's request holds, as [version, parts of the text].
    summaries(setting = this.chosen) {
        const texts = this.data.settings[setting].summaries ?? {}, pieces = this.frames.frame(setting, this.walk.at)?.request.pieces ?? [];
        return pieces.filter(([letter]) => letter === "n").flatMap(([, start, stop]) => Object.entries(texts).filter(([version]) => version > start && version <= stop));
    }

    read(opens) {
        this.reader.hidden = !opens;
        if (opens) delete this.reader.dataset.versions; // it is read from its beginning again
        this.drawSummary();
        this.showFacts(this.factRow.classList.contains("all"));
        if (!opens) return this.readButton.focus({ preventScroll: true });
        this.reader.focus({ preventScroll: true });
        this.reader.scrollIntoView?.({ block: "nearest" });
    }

    // The open summary follows the walk, from version to version, each from its beginning; what holds a followed fact is marked.
    drawSummary() {
        const held = this.summaries(), { reader } = this;
        this.readButton.hidden = !Object.keys(this.data.settings[this.chosen].summaries ?? {}).length;
        this.readButton.disabled = !held.length;
        this.readButton.setAttribute("aria-expanded", String(!reader.hidden));
        if (!held.length) reader.hidden = true;
        if (reader.hidden) return;
        const { scrollTop } = reader, versions = held.map(([version]) => version).join(), isSame = reader.dataset.versions === versions;
        const close = memvizButton("close", null, "✕", this._("Close the summary"), () => this.read(false));
        close.setAttribute("aria-label", close.title);
        reader.replaceChildren(close);
        for (const [version, parts] of held) {
            memvizMake("b", reader, { textContent: this._("Summary {version}", { version }) });
            this.told(parts, memvizMake("p", reader));
        }
        reader.scrollTop = isSame ? scrollTop : 0;
        reader.dataset.versions = versions;
    }

    // A text in parts, of which every second one holds a followed fact.
    told(parts, into) {
        [parts].flat().forEach((text, at) => into.append(at % 2 ? memvizMake("mark", null, { textContent: text }) : text));
        return into;
    }

    readout({ request, fates }, before) {
        const measure = this.measures.value, _ = this._, tokens = memvizNumber(before ? before[0] : request.tokens);
        if (measure === "tokens") return request.pending ? _("{tokens} tokens, pending", { tokens }) : _("{tokens} tokens", { tokens });
        if (measure === "memory") return this.inMemory(request, fates);
        if (request.pending) return _("pending, in no sum");
        if (!request.usd) return _("price unknown");
        const sum = _("{amount} so far", { amount: request.usd });
        return this.frames.isDollars ? `${memvizDollars(request.paid[1] + request.paid[2])} · ${sum}` : sum;
    }

    inMemory(request, fates) {
        const { base } = this.data, _ = this._;
        const counts = { whole: 0, summary: 0, opaque: 0, dropped: 0 };
        for (const code of fates.subarray(0, request.length - base)) {
            if (code === 7 || code === 6) counts.whole++;
            else if (code >= 2 && code <= 5) counts.summary++;
            else if (code === 10) counts.opaque++;
            else if (code === 1) counts.dropped++;
        }
        const words = [_("{number} whole", { number: memvizNumber(counts.whole) })];
        if (counts.summary) words.push(_("{number} in summary", { number: memvizNumber(counts.summary) }));
        if (counts.opaque) words.push(_("{number} in a block nobody can read", { number: memvizNumber(counts.opaque) }));
        if (counts.dropped) words.push(_("{number} dropped", { number: memvizNumber(counts.dropped) }));
        return words.join(" · ");
    }

    drawFacts(isBefore) {
        const { at } = this.walk, frame = this.frames.frame(this.chosen, at);
        const then = isBefore && at > 0 ? this.frames.frame(this.chosen, at - 1) : frame;
        const known = then?.known ?? "", before = at > 0 ? (this.frames.frame(this.chosen, at - 1)?.known ?? "") : "";
        this.chips.forEach(({ chip, state }, number) => {
            const code = Number(known[number] ?? 0), isJustLost = code === 1 && Number(before[number] ?? 0) > 1;
            chip.classList.toggle("just-lost", isJustLost);
            chip.hidden = !code;
            chip.dataset.known = code;
            state.textContent = code ? this._(", {known}", { known: memvizKnown(this._)[code] }) : "";
        });
        this.showFacts(this.factRow.classList.contains("all"));
    }

    drawSentence() {
        const { at } = this.walk, events = this.frames.events(this.chosen, at), [turn, call, calls] = this.data.steps[at];
        const _ = this._, place = { turn: memvizNumber(turn), call };
        const name = calls > 1 ? _("Turn {turn}, call {call}: ", place) : _("Turn {turn}: ", place);
        const told = events.slice(0, MEMVIZ_MOST_TOLD), cache = this.cacheSentence(at);
        if (!told.length && !cache) told.push({ kind: "", sentence: this.quiet(at) });
        if (cache) told.push({ kind: "", sentence: cache });
        this.sentence.replaceChildren();
        this.sentence.dataset.kind = told[0].kind;
        told.forEach(({ kind, sentence }, which) => {
            const line = memvizMake("p", this.sentence, {}, { "data-kind": kind });
            memvizMake("span", line, { className: "sign", textContent: MEMVIZ_SIGNS[kind] ?? "" }, { "aria-hidden": "true" });
            if (!which) line.append(name);
            sentence.forEach((text, part) => line.append(part % 2 ? memvizMake("b", null, { textContent: text }) : text));
        });
        if (!this.walk.isPlaying || events.some(({ kind }) => kind !== "dropped")) this.live.textContent = this.sentence.textContent;
    }

    // What a setting's request read from the cache, and who broke the rest of the prefix.
    cacheSentence(at, setting = this.chosen) {
        const frame = this.frames.frame(setting, at), { paid, broken, tokens } = frame?.request ?? {};
        if (!this.frames.isDollars || !frame?.isOwn || !paid) return null;
        const read = memvizRead((text) => this._(text, { tokens: memvizNumber(tokens), cached: memvizNumber(paid[0]) }));
        return memvizSentence(read[broken] ?? read[""]);
    }

    // A step at which nothing happened but that something was said.
    quiet(at) {
        const frame = this.frames.frame(this.chosen, at), _ = this._;
        if (!frame) return [_("nothing was sent yet.")];
        if (!frame.isOwn) return [_("this setting took no request of its own at this step.")];
        const [from, to] = this.frames.arrived(this.chosen, at), many = to - from;
        const values = { tokens: memvizNumber(frame.request.tokens), first: memvizNumber(from + 1), last: memvizNumber(to) };
        if (frame.request.pending) return memvizSentence(_("pending. Nobody has answered this request: it would send [{tokens} tokens], and stands in no sum, price or count.", values));
        if (!many) return memvizSentence(_("nothing new is new. The request: [{tokens} tokens].", values));
        if (many === 1) return memvizSentence(_("message {last} is new. The request: [{tokens} tokens].", values));
        return memvizSentence(_("messages {first} to {last} are new. The request: [{tokens} tokens].", values));
    }

    describe() {
        const _ = this._, settings = this.data.settings.map(({ label }, number) => _("{label}: {readout}", { label, readout: this.rows[number].readout.textContent }));
        this.canvas.setAttribute("aria-label", _("What each setting sends at this step, built of the messages. {settings}.", { settings: settings.join(_("; ")) }));
    }

    point(event, isClick = false) {
        if (!this.picture.room) return;
        const { left, top } = this.canvas.getBoundingClientRect(), x = event.clientX - left, y = event.clientY - top;
        const found = this.picture.under(x, y);
        if (isClick && found?.lane && found.setting !== this.chosen) this.choose(found.setting);
        if (isClick && found?.kind === "summary" && this.summaries().length) this.read(true);
        const words = found && this.tipWords(found);
        this.tip.hidden = !words || (isClick && !this.reader.hidden);
        if (this.tip.hidden) return;
        this.tip.replaceChildren(memvizMake("b", null, { textContent: words[0] }));
        this.told(words[1], this.tip);
        this.tip.style.left = `${Math.max(0, Math.min(x - 20, this.width - 21 * this.em))}px`;
        this.tip.style.top = `${y + 18}px`;
    }

    tipWords({ position, setting, kind, start, stop, tokens, code, isBundle, isCut, isOpaque, isList }) {
        const { colors, settings } = this.data, _ = this._;
        if (position !== undefined) {
            const [role, size, text, turn] = this.frames.message(setting, position) ?? ["", 0, "", 0], fate = code === undefined ? "" : colors.titles[code].toLowerCase();
            const values = { number: memvizNumber(position + 1), role: memvizRoles(_)[role] ?? role, turn, tokens: memvizNumber(tokens ?? size), fate };
            return [fate ? _("Message {number}, {role}, turn {turn} · {tokens} tokens · {fate}", values) : _("Message {number}, {role}, turn {turn} · {tokens} tokens", values), text];
        }
        if (kind === undefined) return null;
        const values = { first: memvizNumber(start + 1), last: memvizNumber(stop), tokens: memvizNumber(tokens) };
        if (isBundle) return [isCut ? _("Messages {first} to {last} · {tokens} tokens, not to scale", values) : _("Messages {first} to {last} · {tokens} tokens", values), ""];
        const summary = { first: start + 1, last: stop }, isOne = stop - start === 1;
        let what = colors.names[kind] ?? _("A line of the rule's own");
        if (kind === "facts") what = _("Facts that were looked up");
        if (kind === "summary") what = stop - start > 1 ? _("Summaries {first} to {last}", summary) : _("Version {last} of the summary", summary);
        if (isList) what = _("Version {last} of the list of facts", summary);
        if (isOpaque) return [_("Block {last}, which only the provider can read · {tokens} tokens, assumed", values), ""];
        const parts = kind === "summary" && isOne ? settings[setting].summaries?.[stop] : undefined;
        const marked = parts?.flatMap((text, at) => (at % 2 ? ["", text.trim()] : [])) ?? [];
        return [parts ? _("{what} · {tokens} tokens · click to read it", { ...values, what }) : _("{what} · {tokens} tokens", { ...values, what }), marked];
    }
}
