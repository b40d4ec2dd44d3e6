// A walk through steps, which the player below charts and the stage share: play, pause, one on, one back, to the next
// mark. Its owner draws (`moved`), and hears of a step when the visitor rests on it (`rested`). Keys come from keys.js,
// clicks from controls.js.
const MEMVIZ_REST_MILLISECONDS = 120;
const MEMVIZ_STEP_MILLISECONDS = 1000;

class MemvizWalk {
    // `owner` has: root; count (how many steps there are), moved(), rested(at), nextMark() (a place, or undefined),
    // playsOn (the element that may be clicked while it plays), and if it likes milliseconds() (until the next step while playing), mayEnter(at), left(), takeFocus(), restsWhilePlaying,
    // rests() (before it rests: the page does not know yet).
    constructor(owner) {
        this.owner = owner;
        this.at = 0;
        this.listening = new AbortController();
        const { signal } = this.listening;
        document.addEventListener("visibilitychange", () => document.hidden && this.stop(), { signal });
        document.addEventListener("pointerdown", (event) => this.pointer(event), { capture: true, signal });
        this.signal = signal;
    }

    get isThere() {
        const { root } = this.owner;
        return (root.host ?? root).isConnected;
    }

    get isAtEnd() {
        return this.at === this.owner.count - 1;
    }

    get isPlaying() {
        return this.playing !== undefined;
    }

    get isResting() {
        return this.resting !== undefined;
    }

    // The owner has drawn its first step: from now on keys are heard, also those that were pressed before.
    begin() {
        MemvizKeys.here.join(this);
    }

    leave() {
        this.stop();
        this.forget();
        MemvizKeys.here.leave(this);
        this.listening.abort();
        this.owner.left?.();
    }

    leaveIfGone() {
        if (!this.isThere) this.leave();
        return !this.isThere;
    }

    // To a step at once; the owner hears of it after a while without another one.
    go(at) {
        this.at = at;
        this.owner.moved();
        this.rest();
    }

    rest() {
        this.forget();
        this.owner.rests?.();
        this.resting = setTimeout(() => {
            this.resting = undefined;
            if (this.isThere && !(this.isPlaying && this.owner.restsWhilePlaying === false)) this.owner.rested(this.at);
        }, MEMVIZ_REST_MILLISECONDS);
    }

    forget() {
        clearTimeout(this.resting);
        this.resting = undefined;
    }

    // The same for a move that the owner may hold up, to ask first.
    enter(at) {
        if (this.owner.mayEnter && !this.owner.mayEnter(at)) return;
        this.go(at);
    }

    step(by) {
        const at = this.at + by;
        if (at >= 0 && at < this.owner.count) this.enter(at);
    }

    toMark() {
        const next = this.owner.nextMark();
        if (next !== undefined) this.enter(next);
    }

    play() {
        if (this.isAtEnd) this.go(0);
        this.wait();
        this.owner.moved();
        this.owner.rests?.();
    }

    wait() {
        this.playing = setTimeout(() => {
            if (this.leaveIfGone()) return;
            if (document.hidden || this.isAtEnd) return this.stop();
            this.wait();
            this.step(1);
        }, this.owner.milliseconds?.() ?? MEMVIZ_STEP_MILLISECONDS);
    }

    stop() {
        if (!this.isPlaying) return;
        clearTimeout(this.playing);
        this.playing = undefined;
        if (!this.isThere) return;
        this.owner.moved();
        if (this.owner.restsWhilePlaying === false) this.rest();
    }

    pointer(event) {
        if (this.isPlaying && !event.composedPath().includes(this.owner.playsOn)) this.stop();
    }

    toggle() {
        if (this.isPlaying) this.stop();
        else this.play();
    }

    act(key) {
        const acts = {
            " ": () => this.toggle(),
            ArrowLeft: () => this.step(-1),
            ArrowRight: () => this.step(1),
            n: () => this.toMark(),
            Home: () => this.go(0),
            End: () => this.go(this.owner.count - 1),
        };
        acts[key]();
    }
}
