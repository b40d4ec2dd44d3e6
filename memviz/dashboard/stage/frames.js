// The data of the stage (memviz/dashboard/stage/data.py), step by step: what every setting sends, as blocks of a lane.
const MEMVIZ_ROUND = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10], MEMVIZ_TIMES_SMALLER = 4;
const MEMVIZ_FORMAT_TOKENS = 7; // more than what the chat format adds to a request belongs to tools

class MemvizFrames {
    constructor(data) {
        this.data = data;
        this.settings = data.settings.map((setting) => this.unfold(setting));
        this.count = data.steps.length;
        this.measureIn(data.measure);
        const lengths = this.settings.flatMap(({ frames }) => frames.map((frame) => frame?.request.length ?? 0));
        this.messages = Math.max(data.base, ...lengths) - data.base; // that are drawn one by one
    }

    // Each step holds what became of all messages so far; data has only what changed.
    unfold(setting) {
        const { base, messages } = this.data, own = setting.messages ?? messages;
        let known = "", fates = new Uint8Array(own.length), sizes = Int32Array.from(own, (message) => message[1]), frame = null;
        const frames = setting.requests.map((request) => {
            if (!request) return frame && { ...frame, isOwn: false };
            if (request.fates?.length) fates = fates.slice();
            for (const [start, stop, code] of request.fates ?? []) fates.fill(code, start - base, stop - base);
            if (request.sizes?.length) sizes = sizes.slice();
            for (const [position, tokens] of request.sizes ?? []) sizes[position - base] = tokens;
            known = request.known ?? known;
            return (frame = { request, fates, sizes, known, isOwn: true });
        });
        return { frames, messages: own, versions: {} };
    }

    // What the length of a lane is: dollars of what a request reads, where they are known, else tokens.
    measureIn(measure) {
        this.isDollars = measure === "dollars" && this.settings.every(({ frames }) => frames.every((frame) => !frame || frame.request.paid || frame.request.pending));
        this.lines = this.measure();
    }

    // How much one line of a lane holds at each step: a round number, the same for all lanes. At first it has room
    // for all that the smallest lane ever holds, so that lanes are seen to fill. It grows with the largest request so
    // far, but not so far that the smallest could not be seen: larger ones take several lines.
    measure() {
        const sent = ({ request }) => Math.max(request.tokens, request.before?.[0] ?? 0);
        const paid = ({ request }) => (request.paid ? request.paid[1] + request.paid[2] : 0);
        const largest = this.isDollars ? paid : sent;
        const all = this.settings.map(({ frames }) => Math.max(0, ...frames.map((frame) => (frame ? largest(frame) : 0)))).filter(Boolean);
        const smallest = Math.min(...all, Infinity);
        let most = 0;
        return this.data.steps.map((_, step) => {
            for (const { frames } of this.settings) if (frames[step]) most = Math.max(most, largest(frames[step]));
            const wanted = Math.min(most, MEMVIZ_TIMES_SMALLER * smallest);
            return this.round(1.03 * Math.max(wanted, isFinite(smallest) ? smallest : 0));
        });
    }

    round(amount) {
        const least = this.isDollars ? 1e-6 : 500, power = 10 ** Math.floor(Math.log10(Math.max(amount, least)));
        return MEMVIZ_ROUND.map((one) => one * power).find((one) => one >= amount);
    }

    // The blocks of a lane, each with its length `w`. In dollars, what was read from the cache costs less than the rest:
    // a block of which a part was read from it is two.
    sized(setting, step, isBefore, scale) {
        const blocks = this.blocks(setting, step, isBefore), request = this.frame(setting, step)?.request;
        if (!this.isDollars) return blocks.map((block) => ({ ...block, w: block.tokens * scale }));
        const [cached, cachedDollars, otherDollars] = request?.paid ?? [0, 0, 0];
        const cachedLength = cached ? (cachedDollars / cached) * scale : 0, otherLength = (otherDollars / Math.max(1, request?.tokens - cached)) * scale;
        let left = cached;
        return blocks.flatMap((block) => {
            const held = Math.min(left, block.tokens), rest = block.tokens - held;
            left -= held;
            const found = [];
            if (held) found.push({ ...block, tokens: held, isCached: true, w: held * cachedLength });
            if (rest) found.push({ ...block, key: held ? `${block.key} in full` : block.key, tokens: rest, w: rest * otherLength });
            return found;
        });
    }

    // The limit that holds at a step, as {tokens, words, parts, counted}; none where lanes are as long as dollars. The
    // tokens `counted` are without what the chat format adds to each message.
    limit(setting, step, isBefore = false) {
        const request = this.frame(setting, step)?.request;
        if (this.isDollars || !request?.limit) return undefined;
        const [number, counted] = request.limit;
        return { ...this.data.settings[setting].limits[number], counted: isBefore && request.before ? request.before[2] : counted };
    }

    frame(setting, step) {
        return this.settings[setting].frames[step];
    }

    message(setting, position) {
        return this.settings[setting].messages[position - this.data.base];
    }

    // The blocks of a lane in order; `before`: as the request would have been without what was done before it.
    blocks(setting, step, before = false) {
        const frame = this.frame(setting, step), found = [], numbers = {}, { base, pieces: names } = this.data;
        if (!frame) return found;
        const [tokens, pieces] = before ? frame.request.before : [frame.request.tokens, frame.request.pieces];
        const add = (kind, size, start, stop) => {
            numbers[kind] = (numbers[kind] ?? 0) + 1;
            const isBundle = start < stop && kind !== "system" && kind !== "summary"; // earlier messages
            const own = this.data.settings[setting], isNote = kind === "summary";
            found.push({ key: `${kind}${numbers[kind]}`, kind, tokens: size, start, stop, isBundle, isOpaque: isNote && own.isOpaque, isList: isNote && own.isList });
        };
        for (const [letter, start, stop, size] of pieces) {
            const kind = names[letter];
            if (size !== undefined) add(kind, size, start, stop);
            else for (let position = start; position < stop; position++) found.push({ key: position, kind, tokens: frame.sizes[position - base], position });
        }
        const rest = tokens - found.reduce((sum, block) => sum + block.tokens, 0);
        if (rest > 0) add(rest > MEMVIZ_FORMAT_TOKENS ? "tools" : "overhead", rest, 0, 0);
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
