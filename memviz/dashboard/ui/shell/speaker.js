// What the speaker's keys and the speaker's bar have in common: each asks for pictures on and back. The server counts
// them by who asked, so that two in quick succession are two.
const SINCE_KEY = "memviz-presented-since"; // when the presentation began

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
