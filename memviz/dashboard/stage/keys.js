// The keys that walk through steps. One listener for the whole document outlives every walk: a page that is drawn anew
// puts other walks in the place of those that were there, and a key that is pressed in between waits for the next one.
// It also keeps where the visitor went until the page is told: a walk that comes in the place of another begins there.
const MEMVIZ_KEY_WAITS_MILLISECONDS = 120_000; // a busy server draws a page late; what is later still was meant for something else
const MEMVIZ_WALK_KEYS = [" ", "ArrowLeft", "ArrowRight", "n"];
const MEMVIZ_END_KEYS = ["Home", "End"]; // of the stage alone: below a chart they are the page's
const MEMVIZ_SPEAKER_KEYS = ["p", "PageDown", "PageUp"];
const MEMVIZ_OPENS_STAGE = ".st-key-compare-stage button"; // the switch that puts the stage in the place of the charts
const MEMVIZ_TYPING = "input:not([type=range], [type=checkbox]), textarea, select, [contenteditable], [role=textbox], [role=combobox], [role=dialog]";
const MEMVIZ_OWN_ARROWS = "input:not([type=checkbox]), [role=slider], [role=radio], [role=tab], [role=option], [role=menuitem], [role=spinbutton]";
const MEMVIZ_OWN_SPACE = "button, a, summary, label, input[type=checkbox], [role=radio], [role=tab], [role=option], [role=menuitem], [role=switch]";

class MemvizKeys {
    // The one of this document: each player comes as a script of its own.
    static get here() {
        return (window.memvizKeys ??= new MemvizKeys());
    }

    constructor() {
        this.walks = new Set();
        this.waiting = []; // what was pressed while no walk was there
        this.speaker = null; // who hears the keys of a speaker
        this.unheard = []; // those that were pressed before it was there
        this.opening = -Infinity; // when a stage was asked for that is not there yet
        this.places = {}; // where walks stand, by their names, for those that come in their place
        this.moves = 0; // how many moves the page was told of
        document.addEventListener("keydown", (event) => this.press(event));
        document.addEventListener("pointerdown", () => this.forget(), { capture: true }); // the visitor turns to something else
        document.addEventListener("click", (event) => this.click(event), { capture: true });
    }

    join(walk) {
        this.walks.add(walk);
        // Below a chart that is drawn late a player joins while the stage is under way: the keys are the stage's.
        if (this.isOpening && !walk.owner.takesEnds) return;
        if (this.isOpening) walk.owner.takeFocus?.();
        this.opening = -Infinity;
        const keys = this.waiting.filter((one) => (one.isHeld || !one.event.defaultPrevented) && this.isMeant(one));
        this.waiting = [];
        for (const { event } of keys) walk.act(event.key);
    }

    // The speaker's keys are heard by a part of the page that may come late, too.
    listen(speaker) {
        this.speaker = speaker;
        const keys = this.unheard.filter((one) => !one.event.defaultPrevented && this.isMeant(one));
        this.unheard = [];
        for (const { event } of keys) speaker.key(event);
    }

    forget() {
        this.waiting = [];
        this.unheard = [];
        this.opening = -Infinity;
    }

    leave(walk) {
        this.walks.delete(walk);
    }

    get isOpening() {
        return performance.now() - this.opening < MEMVIZ_KEY_WAITS_MILLISECONDS;
    }

    isMeant({ since, path }) {
        return performance.now() - since < MEMVIZ_KEY_WAITS_MILLISECONDS && path === location.pathname;
    }

    press(event) {
        if (this.belongsElsewhere(event)) return;
        const isSpeakers = MEMVIZ_SPEAKER_KEYS.includes(event.key) && !this.speaker?.isThere;
        if (isSpeakers) this.unheard.push({ event, since: performance.now(), path: location.pathname });
        const toEnds = MEMVIZ_END_KEYS.includes(event.key);
        if (!toEnds && !MEMVIZ_WALK_KEYS.includes(event.key)) return;
        const walks = [...this.walks].filter((walk) => !walk.leaveIfGone() && (!toEnds || walk.owner.takesEnds));
        if (toEnds && !walks.length) return;
        const isHeld = this.isOpening;
        if (isHeld || walks.length) event.preventDefault();
        if (isHeld || !walks.length) this.waiting.push({ event, isHeld, since: performance.now(), path: location.pathname });
        else for (const walk of walks) walk.act(event.key);
    }

    belongsElsewhere(event) {
        const target = event.composedPath()[0];
        const own = MEMVIZ_TYPING + (event.key === " " ? `, ${MEMVIZ_OWN_SPACE}` : event.key === "n" || MEMVIZ_SPEAKER_KEYS.includes(event.key) ? "" : `, ${MEMVIZ_OWN_ARROWS}`);
        if (target instanceof Element && target.closest(own)) return true;
        return event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    }

    // Whoever asks for the stage plays it next: the switch gives the focus away, or the space bar would switch it off.
    click({ target }) {
        const opens = target instanceof Element && target.closest(MEMVIZ_OPENS_STAGE);
        if (!opens || document.querySelector(".memviz-stage")) return;
        opens.blur();
        this.opening = performance.now();
    }
}

MemvizKeys.here;
