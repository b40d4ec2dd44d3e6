// The data of the stage (memviz/stage/data.py), step by step: what every setting sends, as blocks of a lane.
class MemvizFrames {
    constructor(data) {
        this.data = data;
        this.settings = data.settings.map((setting) => this.unfold(setting));
        this.near = this.scale((setting) => !setting.far);
        this.wide = this.scale((setting) => setting.far);
        this.count = data.steps.length;
        const lengths = this.settings.flatMap(({ frames }) => frames.map((frame) => frame?.request.length ?? 0));
        this.messages = Math.max(data.base, ...lengths) - data.base; // that are drawn one by one
    }

    // Each step holds what became of all messages so far; data has only what changed.
    unfold(setting) {
        const { base, messages } = this.data, own = setting.messages ?? messages;
        let fates = new Uint8Array(own.length), sizes = Int32Array.from(own, (message) => message[1]), frame = null;
        const frames = setting.requests.map((request) => {
            if (!request) return frame && { ...frame, isOwn: false };
            if (request.fates?.length) fates = fates.slice();
            for (const [start, stop, code] of request.fates ?? []) fates.fill(code, start - base, stop - base);
            if (request.sizes?.length) sizes = sizes.slice();
            for (const [position, tokens] of request.sizes ?? []) sizes[position - base] = tokens;
            return (frame = { request, fates, sizes, isOwn: true });
        });
        return { frames, messages: own, versions: {} };
    }

    // Tokens that the lanes of some settings have room for: all that they ever hold.
    scale(belongs) {
        let most = 1;
        this.data.settings.forEach((setting) => {
            if (!belongs(setting)) return;
            for (const request of setting.requests) {
                if (!request) continue;
                most = Math.max(most, request.tokens, request.before?.[0] ?? 0);
                if (request.limit && request.limit[0] < 3 * request.tokens) most = Math.max(most, request.limit[0]);
            }
        });
        return most * 1.03;
    }

    frame(setting, step) {
        return this.settings[setting].frames[step];
    }

    message(setting, position) {
        return this.settings[setting].messages[position - this.data.base];
    }

    // The blocks of a lane in order; `before`: as the request would have been without what was done before it.
    blocks(setting, step, before = false) {
        const frame = this.frame(setting, step), found = [];
        if (!frame) return found;
        const notes = {};
        for (const [kind, start, stop, tokens] of before ? frame.request.before[1] : frame.request.pieces) {
            if (kind === "summary") {
                const nth = (notes.summary = (notes.summary ?? 0) + 1);
                found.push({ key: `summary${nth}`, kind, tokens, start, stop });
            } else if (tokens !== undefined) {
                const nth = (notes[kind] = (notes[kind] ?? 0) + 1);
                found.push({ key: `${kind}${nth}`, kind, tokens, start, stop, isBundle: start < stop && kind !== "system" });
            } else {
                for (let position = start; position < stop; position++) {
                    const size = frame.sizes[position - this.data.base];
                    found.push({ key: position, kind, tokens: size, position });
                }
            }
        }
        return found;
    }

    events(setting, step) {
        const frame = this.frame(setting, step);
        return frame?.isOwn ? (frame.request.events ?? []) : [];
    }

    // The place of the next event after a step: of one setting, or of any (null), of one kind, or of any ("").
    nextEvent(step, setting, kind) {
        const counts = (event) => (kind ? event.kind === kind : event.kind !== "dropped");
        const settings = setting === null ? this.settings.keys() : [setting];
        const has = (at) => [...settings].some((one) => this.events(one, at).some(counts));
        for (let at = step + 1; at < this.count; at++) if (has(at)) return at;
        for (let at = 0; at < step; at++) if (has(at)) return at;
        return undefined;
    }

    // Steps where something is new: messages [from, to).
    arrived(setting, step) {
        const now = this.frame(setting, step), then = step > 0 ? this.frame(setting, step - 1) : null;
        return now ? [then?.request.length ?? 0, now.request.length] : [0, 0];
    }
}
