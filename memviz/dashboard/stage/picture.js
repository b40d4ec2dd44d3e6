// The picture of the stage: a strip of all messages, and one lane a setting built of the messages themselves. A step
// moves the blocks from where they are to where they belong, on one canvas, frame by frame.
const MEMVIZ_ARRIVE = 0.38; // of a step with an event: the part in which messages arrive, before the rest folds
const MEMVIZ_LINES = 5; // of one lane, at most
const MEMVIZ_CACHED = 0.65; // how pale that is which was read from the cache
const MEMVIZ_BRACKET_PIXELS = 5; // the ends of the bracket of a limit
const MEMVIZ_LEAST_ROOM = { roomy: [2.3, 0.85], low: [1.7, 0.85], tight: [1.15, 0.7], narrow: [1.8, 1], "narrow tight": [1.1, 0.75] }; // lane and gap, in em
const MEMVIZ_WORN = { 3: 0.78, 4: 0.58, 5: 0.4 }; // of a message's height in the strip: the lower, the more often it was summarized
const MEMVIZ_SPREAD = 0.25; // of a movement: how much later the last block starts than the first
const memvizEase = (t) => (t < 0.5 ? 4 * t * t * t : 1 - (-2 * t + 2) ** 3 / 2);
const memvizMix = (one, other, t) => one.map((value, at) => value + (other[at] - value) * t);
const memvizCss = (color) => `rgba(${color[0] | 0},${color[1] | 0},${color[2] | 0},${color[3].toFixed(3)})`;

function memvizColor(text) {
    const hex = /^#(..)(..)(..)$/.exec(text);
    if (hex) return [...hex.slice(1).map((part) => parseInt(part, 16)), 1];
    const numbers = text.match(/[\d.]+/g).map(Number);
    if (text.startsWith("color(")) return [...numbers.slice(0, 3).map((part) => part * 255), numbers[3] ?? 1];
    return [...numbers.slice(0, 3), numbers[3] ?? 1];
}

class MemvizPicture {
    // `_` says its texts in the language of the page.
    constructor(canvas, frames, _) {
        this.canvas = canvas;
        this._ = _;
        this.context = canvas.getContext("2d");
        this.lanes = [];
        this.cells = [];
        this.chosen = 0;
        this.take(frames);
    }

    take(frames) {
        this.frames = frames;
        this.step = 0;
        this.isBefore = false;
        this.lanes = frames.data.settings.map(() => new Map());
        this.cells = Array.from({ length: frames.messages }, () => null);
        const { parts, fates } = frames.data.colors;
        this.parts = Object.fromEntries(Object.entries(parts).map(([name, color]) => [name, memvizColor(color)]));
        this.fateColors = fates.map(memvizColor);
        this.codes = { dropped: 1, cleared: 8, shortened: 9, opaque: 10 };
        const dark = (color, by) => memvizMix(color, [0, 0, 0, 1], by);
        this.parts.summary = this.fateColors[2] = dark(this.parts.summary, 0.1); // white words are read on it
        this.parts.line = this.parts.system;
        this.parts.facts = this.parts.summary;
    }

    // Room. All lengths are CSS pixels; `em` is the size of the text of the page, `most` the height that there is for the
    // picture, and `fitting` one of MEMVIZ_FITTINGS. Returns whether it fits.
    resize(width, em, most, fitting) {
        const { settings, base } = this.frames.data, isWide = width >= 40 * em, many = settings.length, isTight = fitting === "tight";
        const cell = this.cellRoom(width, em, isWide, fitting);
        const top = cell.rows * (cell.height + 3) + (isTight ? 1.15 : 1.3) * em, above = (isWide ? 0 : isTight ? 1.35 : 1.55) * em;
        const ideal = this.laneRoom(isWide, many), least = MEMVIZ_LEAST_ROOM[isWide ? fitting : isTight ? "narrow tight" : "narrow"];
        const share = Math.max(0, Math.min(1, ((most - top) / many - above - (least[0] + least[1]) * em) / ((ideal[0] + ideal[1] - least[0] - least[1]) * em || 1)));
        const [height, gap] = ideal.map((length, which) => (least[which] + (length - least[which]) * share) * em);
        const left = isWide ? Math.min(17 * em, width * 0.25) : 0;
        this.room = {
            width, em, isWide, cell, left, laneWidth: width - left, laneHeight: height, gap, base,
            lanes: settings.map((_, at) => ({ top: top + at * (above + height + gap) + above, labelTop: top + at * (above + height + gap) })),
            height: top + many * (above + height + gap),
        };
        this.scaleCanvas();
        return this.room.height <= most + 1;
    }

    // The strip of all messages: as many rows as give a message room for its number; one where there is little height.
    cellRoom(width, em, isWide, fitting) {
        const isRoomy = fitting === "roomy", least = (isWide && this.frames.data.settings.length <= 4 ? 1.1 : 0.62) * em;
        const rows = Math.min(isRoomy ? (isWide ? 3 : 5) : 1, Math.max(1, Math.ceil((this.cells.length * least) / width)));
        const perRow = Math.ceil(this.cells.length / rows) || 1;
        return { rows, perRow, width: width / perRow, height: (!isWide || fitting === "tight" ? 1.1 : isRoomy && rows === 1 ? 1.9 : 1.35) * em };
    }

    // How high a lane is, and the gap below it, where there is room, in `em`.
    laneRoom(isWide, many) {
        if (!isWide) return [1.8, 1];
        return many <= 3 ? [3.6, 1] : many <= 4 ? [3, 0.85] : [2.3, 0.85];
    }

    scaleCanvas() {
        const { width } = this.room;
        const ratio = Math.min(devicePixelRatio || 1, 2);
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(this.room.height * ratio);
        this.canvas.style.height = `${this.room.height}px`;
        this.ratio = ratio;
    }

    // Where blocks belong at a step.
    scene(step, isBefore) {
        const { data } = this.frames;
        return data.settings.map((_, number) => {
            const frame = this.frames.frame(number, step), before = isBefore && frame?.isOwn && frame.request.before;
            const broken = this.frames.isDollars && frame?.isOwn && frame.request.broken;
            const scale = this.room.laneWidth / this.frames.lines[step];
            let x = 0;
            const sized = this.frames.sized(number, step, Boolean(before), scale);
            const blocks = this.cut(sized).map((block) => {
                const place = { ...block, x, color: this.colorOf(number, block, frame, before) };
                x += place.w;
                return place;
            });
            const lines = Math.max(1, Math.ceil(x / this.room.laneWidth - 0.001));
            const held = blocks.reduce((sum, block) => sum + (block.isCached ? block.w : 0), 0);
            return { blocks, lines, broken: broken && { by: data.colors.broken[broken], x: held }, limit: this.reach(blocks, this.frames.limit(number, step, Boolean(before)), scale), fates: frame?.fates };
        });
    }

    // How far a limit reaches: from the first block that it counts over as many tokens of what it counts. Blocks are
    // longer by what the chat format adds to them, and so is the limit's length.
    reach(blocks, limit, scale) {
        if (!limit) return null;
        const counts = ({ kind }) => limit.parts.includes(kind), first = blocks.find(counts), last = blocks.at(-1);
        const from = first ? first.x : last ? last.x + last.w : 0;
        const drawn = blocks.reduce((sum, block) => sum + (counts(block) ? block.w : 0), 0);
        let left = limit.tokens * (limit.counted ? drawn / limit.counted : scale), to = from;
        for (const block of blocks) {
            if (!counts(block)) continue;
            to = block.x + Math.min(left, block.w);
            left -= block.w;
            if (left <= 0) break;
        }
        return { from, to: to + Math.max(0, left), isOver: limit.counted > limit.tokens };
    }

    // Of a request that would take more lines than a lane has, the earliest messages are one block that is not to scale.
    cut(blocks) {
        const most = MEMVIZ_LINES * this.room.laneWidth, width = 6 * this.room.em, from = blocks[0]?.kind === "system" ? 1 : 0;
        let over = blocks.reduce((sum, block) => sum + block.w, 0) - most, stop = from, tokens = 0;
        if (over <= 0) return blocks;
        for (over += width; over > 0 && stop < blocks.length - 1; stop++) {
            over -= blocks[stop].w;
            tokens += blocks[stop].tokens;
        }
        const positions = blocks.slice(from, stop).flatMap((block) => block.position ?? (block.isBundle ? [block.start, block.stop - 1] : []));
        const [start, last] = [Math.min(...positions), Math.max(...positions)];
        const earlier = { key: "earlier", kind: "history", tokens, start, stop: last + 1, isBundle: true, isCut: true, w: width };
        return [...blocks.slice(0, from), earlier, ...blocks.slice(stop)];
    }

    colorOf(setting, block, frame, before) {
        const color = this.ownColor(setting, block, frame, before);
        return block.isCached ? memvizMix(color, this.look.page, MEMVIZ_CACHED) : color;
    }

    ownColor(setting, block, frame, before) {
        if (block.isOpaque) return this.fateColors[this.codes.opaque];
        if (block.position === undefined) return block.isBundle ? this.parts.history : this.parts[block.kind] ?? this.parts.system;
        if (block.kind !== "history") return this.parts[block.kind];
        const code = before ? 0 : frame.fates[block.position - this.frames.data.base];
        if (code === this.codes.shortened || code === this.codes.cleared) return this.fateColors[code];
        const role = this.frames.message(setting, block.position)[0];
        return role === "tool" ? this.parts.tools : role === "system" ? this.parts.system : this.parts.history;
    }

    // Whether a summary, or a block that nobody can read, stands for a message.
    isFolded(code) {
        return (code >= 2 && code <= 5) || code === this.codes.opaque;
    }

    labelOf(block) {
        if (block.position !== undefined) return [String(block.position + 1)];
        const _ = this._, range = `${memvizNumber(block.start + 1)}–${memvizNumber(block.stop)}`;
        if (block.isCut) return [`… ${range}`, "…"];
        if (block.isBundle) return [_("messages {range}", { range }), range];
        if (block.kind === "summary") {
            if (block.isOpaque) return [_("block {version}, unreadable", { version: block.stop }), `◆ ${block.stop}`, "◆"];
            if (block.isList) return [_("list {version}", { version: block.stop }), `◆ ${block.stop}`, "◆"];
            return block.stop - block.start > 1 ? [_("{number} summaries", { number: block.stop - block.start }), "◆"] : [_("summary {version}", { version: block.stop }), `◆ ${block.stop}`, "◆"];
        }
        return { system: [_("system"), _("sys")], tools: [_("tools")], overhead: [], line: [_("note")], facts: [_("facts")] }[block.kind] ?? [];
    }

    // Moving: from what is seen now to a step. With `milliseconds` 0 it is there at once.
    show(step, milliseconds, withArrival = false) {
        if (!this.room) return;
        const isEvent = withArrival && milliseconds && !this.frames.isDollars && this.frames.data.settings.some((_, one) => {
            const frame = this.frames.frame(one, step);
            return frame?.isOwn && frame.request.before;
        });
        this.step = step;
        this.later = null;
        if (isEvent) {
            this.move(step, true, milliseconds * MEMVIZ_ARRIVE);
            this.later = () => this.move(step, false, milliseconds * (1 - MEMVIZ_ARRIVE));
        } else {
            this.move(step, false, milliseconds);
        }
        this.run();
    }

    move(step, isBefore, milliseconds) {
        this.isBefore = isBefore;
        const scene = this.scene(step, isBefore);
        this.limits = scene.map(({ limit }, at) => {
            const start = this.limits?.[at]?.now ?? limit;
            return limit && { ...limit, start, now: start };
        });
        this.broken = scene.map(({ broken }) => broken);
        this.lines = scene.map((lane, at) => ({ from: this.lines?.[at]?.now ?? lane.lines, to: lane.lines, now: this.lines?.[at]?.now ?? lane.lines }));
        scene.forEach((lane, number) => this.aim(this.lanes[number], lane));
        this.aimCells(step, isBefore);
        this.moving = { since: performance.now(), milliseconds };
        this.onPhase?.(isBefore);
    }

    aim(items, lane) {
        const { em } = this.room, wanted = new Map(lane.blocks.map((block) => [block.key, block]));
        const target = lane.blocks.find((block) => block.kind === "summary");
        let leaving = 0, entering = 0;
        const stays = [...items.values()].filter((item) => !wanted.has(item.key));
        for (const item of stays) {
            const code = item.position === undefined ? 0 : lane.fates?.[item.position - this.frames.data.base];
            const folds = target && (this.isFolded(code) || item.kind === "summary");
            item.isGone = true;
            item.delay = stays.length > 1 ? leaving++ / (stays.length - 1) : 0;
            item.from = { ...item.now };
            item.to = folds
                ? { x: target.x + target.w / 2, w: 2, dy: 0, alpha: 0.85, color: target.color }
                : { x: item.now.x, w: item.now.w, dy: 1.4 * em, alpha: 0, color: item.now.color };
        }
        for (const block of lane.blocks) {
            let item = items.get(block.key);
            const to = { x: block.x, w: block.w, dy: 0, alpha: 1, color: block.color };
            if (!item) {
                const isNote = block.kind === "summary";
                const from = isNote ? { ...to, w: 0, alpha: 0.4 } : block.kind === "recalled" ? { ...to, dy: -1.6 * em, alpha: 0 }
                    : { ...to, x: block.x + 4 * em, alpha: 0 };
                item = { key: block.key, now: from, delay: items.size ? Math.min(1, entering++ / 3) : 0 };
                items.set(block.key, item);
            } else item.delay = 0;
            Object.assign(item, block, { isGone: false, from: { ...item.now }, to, labels: this.labelOf(block) });
            item.pulses = block.kind === "summary" && stays.some((one) => one.position !== undefined && one.to.w === 2);
        }
    }

    aimCells(step, isBefore) {
        const frame = this.frames.frame(this.chosen, step), { base } = this.frames.data;
        const then = isBefore && step > 0 ? this.frames.frame(this.chosen, step - 1) : null;
        for (let at = 0; at < this.cells.length; at++) {
            const isThere = frame && at + base < frame.request.length;
            let code = isThere ? frame.fates[at] : -1;
            if (isThere && isBefore) code = then && at + base < then.request.length ? then.fates[at] : 7;
            const color = code < 1 ? null : this.fateColors[code];
            const cell = (this.cells[at] ??= { now: [0, 0, 0, 0], pop: 0 });
            cell.pop = code > 0 && cell.code === -1 ? 1 : 0;
            cell.code = code;
            cell.from = cell.now;
            cell.to = color ?? [cell.now[0], cell.now[1], cell.now[2], 0];
            if (cell.from[3] === 0 && color) cell.from = [color[0], color[1], color[2], 0];
        }
    }

    get isMoving() {
        return Boolean(this.moving || this.later);
    }

    run() {
        if (this.frame !== undefined) return;
        const tick = (now) => {
            this.frame = undefined;
            this.draw(now);
            if (this.isMoving) this.frame = requestAnimationFrame(tick);
        };
        if (this.moving?.milliseconds) this.frame = requestAnimationFrame(tick);
        else tick(performance.now());
    }

    leave() {
        cancelAnimationFrame(this.frame);
        this.frame = undefined;
    }

    advance(now) {
        const { since, milliseconds } = this.moving ?? { since: 0, milliseconds: 0 };
        const t = milliseconds ? Math.min(1, Math.max(0, (now - since) / milliseconds)) : 1;
        for (const items of this.lanes) {
            for (const item of items.values()) {
                const own = memvizEase(Math.min(1, Math.max(0, t * (1 + MEMVIZ_SPREAD) - item.delay * MEMVIZ_SPREAD)));
                const { from, to } = item;
                if (own === 1) item.now = to;
                else {
                    item.now = {
                        x: from.x + (to.x - from.x) * own, w: from.w + (to.w - from.w) * own, dy: from.dy + (to.dy - from.dy) * own,
                        alpha: from.alpha + (to.alpha - from.alpha) * own,
                        color: from.color === to.color ? to.color : memvizMix(from.color, to.color, own),
                    };
                }
                if (own === 1 && item.isGone) items.delete(item.key);
            }
        }
        const eased = memvizEase(t);
        for (const cell of this.cells) if (cell) cell.now = eased === 1 ? cell.to : memvizMix(cell.from, cell.to, eased);
        for (const limit of this.limits ?? []) if (limit) {
            const between = (end) => limit.start[end] + (limit[end] - limit.start[end]) * eased;
            limit.now = { from: between("from"), to: between("to") };
        }
        for (const line of this.lines ?? []) line.now = line.from + (line.to - line.from) * eased;
        this.t = t;
        if (t < 1) return;
        this.moving = null;
        if (this.later) {
            const later = this.later;
            this.later = null;
            later();
        }
    }

    // Drawing.

    draw(now) {
        if (!this.room) return;
        this.advance(now);
        const { context } = this, { width, height } = this.room;
        context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        context.textBaseline = "middle";
        context.textAlign = "center";
        this.highlighted = new Set(this.frames.data.highlight?.messages ?? []);
        this.drawCells();
        this.drawScale();
        this.room.lanes.forEach((_, number) => this.drawLane(number));
    }

    font(size, weight = "") {
        return `${weight} ${size}px ${this.look.font}`.trim();
    }

    drawCells() {
        const { context } = this, { cell, em } = this.room;
        const gap = cell.width > 8 ? 2 : cell.width > 4 ? 1 : 0, radius = Math.min(3, cell.width / 4);
        const size = Math.min(0.72 * em, cell.width * 0.46), withText = cell.width >= 1.05 * em;
        this.cells.forEach((one, at) => {
            const x = (at % cell.perRow) * cell.width, y = Math.floor(at / cell.perRow) * (cell.height + 3), w = cell.width - gap;
            this.box(x, y, w, cell.height, radius, this.look.empty);
            if (!one) return;
            const height = cell.height * (MEMVIZ_WORN[one.code] ?? 1);
            if (one.now[3] > 0.01) this.box(x, y + cell.height - height, w, height, radius, memvizCss(one.now));
            if (one.code >= 2 && one.code <= 5) this.box(x, y + cell.height - 3, w, 3, 1, this.look.summary); // however faint
            if (one.code === this.codes.dropped && w > 5) {
                context.strokeStyle = this.look.muted;
                context.lineWidth = 1;
                context.beginPath();
                context.moveTo(x + w * 0.3, y + cell.height * 0.78);
                context.lineTo(x + w * 0.7, y + cell.height * 0.22);
                context.stroke();
            }
        });
        this.cells.forEach((one, at) => one && this.drawCellMarks(one, at, gap, radius, size, withText));
    }

    // Numbers and rings, over all cells: where there is no room for every number, those of each tenth message and of
    // those that are pointed at.
    drawCellMarks({ code, now }, at, gap, radius, size, withText) {
        const { context } = this, { cell, em } = this.room, number = at + this.frames.data.base + 1;
        const x = (at % cell.perRow) * cell.width, y = Math.floor(at / cell.perRow) * (cell.height + 3), w = cell.width - gap;
        const isMarked = this.highlighted.has(number - 1);
        const inset = y ? 0 : 2.5; // nothing is drawn above the first row
        if (isMarked) this.ring(x, y + inset, w, cell.height - inset, radius);
        const isTenth = number % 10 === 0 && ![...this.highlighted].some((one) => Math.abs(one + 1 - number) * cell.width < 1.8 * em);
        if (code < 1 || !(withText || isMarked || isTenth)) return;
        context.font = this.font(withText ? size : Math.max(size, 0.6 * em));
        context.fillStyle = code === this.codes.dropped ? this.look.muted : this.textOn(now);
        context.fillText(String(number), x + w / 2, y + cell.height / 2 + 0.5);
    }

    drawLane(number) {
        const { context, frames } = this, { left, laneWidth, laneHeight, em } = this.room, { top } = this.room.lanes[number];
        this.box(left, top, laneWidth, laneHeight, 5, this.look.surface);
        context.save();
        context.beginPath();
        context.rect(left, top - 1.6 * em, laneWidth, laneHeight + 3 * em);
        context.clip();
        const inset = 4, space = 2, lines = this.lines[number].now, height = (laneHeight - 2 * inset + space) / lines - space;
        const line = { inset, space, height };
        const items = [...this.lanes[number].values()].sort((one, other) => other.isGone - one.isGone);
        const isPending = Boolean(frames.frame(number, this.step)?.request.pending);
        for (const item of items) this.drawBlock(item, top, line, isPending);
        context.restore();
        this.drawLimit(number, top, line);
        this.drawBreak(number, top, line);
        if ((frames.data.highlight?.settings ?? []).includes(number)) this.ring(left, top, laneWidth, laneHeight, 5);
    }

    // A block stands where its tokens do; one that reaches over the end of a line goes on in the next.
    // Those of a request that nobody has answered are hollow.
    drawBlock(item, top, line, isPending) {
        const { context } = this, { left, laneWidth, em } = this.room, { w, dy, alpha, color } = item.now;
        if (alpha < 0.01) return;
        context.globalAlpha = alpha;
        if (item.cssOf !== color) [item.css, item.cssOf] = [memvizCss(color), color];
        const isMarked = this.highlighted.has(item.position), end = item.now.x + w;
        for (let x = item.now.x, part = 0; x < end - 0.01 || !part; part++) {
            const at = Math.max(0, Math.floor(x / laneWidth + 1e-6)), stop = Math.min(end, (at + 1) * laneWidth), width = stop - x;
            const gap = width > 7 ? 2 : width > 3 ? 1 : width > 1.5 ? 0.4 : 0;
            const px = left + x - at * laneWidth, py = top + line.inset + at * (line.height + line.space) + dy, pw = Math.max(width - gap, 0.6);
            if (isPending) this.hollow(px, py, pw, line.height, item.css);
            else this.box(px, py, pw, line.height, Math.min(3.5, width / 3, line.height / 3), item.css);
            if (item.pulses && this.t < 1 && this.t > 0) this.drawPulse(px, py, pw, line.height, alpha);
            if (isMarked) this.ring(px, py, pw, line.height, 3);
            if (width > 0.9 * em && line.height > 0.85 * em && !item.isGone && (width > 0.6 * w || !part)) {
                this.drawLabel(item, px + pw / 2, py + line.height / 2, pw - 4, isPending);
            }
            if (stop >= end - 0.01) break;
            x = stop;
        }
        context.globalAlpha = 1;
    }

    drawPulse(x, y, w, h, alpha) {
        const { context } = this;
        context.globalAlpha = alpha * Math.sin(Math.PI * this.t);
        context.lineWidth = 3;
        context.strokeStyle = this.look.summary;
        context.beginPath();
        context.roundRect(x - 2, y - 2, w + 4, h + 4, 5);
        context.stroke();
        context.globalAlpha = alpha;
    }

    drawLabel(item, x, y, room, isHollow) {
        const { context } = this, { em } = this.room;
        context.font = this.font(0.75 * em);
        for (const text of item.labels) {
            const width = (this.widths ??= new Map()).get(text) ?? this.measure(text);
            if (width > room) continue;
            context.fillStyle = isHollow ? this.look.text : this.textOn(item.now.color);
            context.fillText(text, x, y + 0.5);
            return;
        }
    }

    measure(text) {
        const { width } = this.context.measureText(text);
        this.widths.set(text, width);
        return width;
    }

    // A bracket above what a limit counts, or below it where its words stand there; heavier while that is more than the limit.
    drawLimit(number, top, line) {
        const limit = this.limits?.[number], { left, laneWidth, laneHeight, em } = this.room, { context } = this;
        if (!limit) return;
        const { from, to } = limit.now, last = Math.ceil(this.lines[number].now) - 1, isOver = limit.isOver && this.isBefore;
        const rowOf = (x) => Math.floor(x / laneWidth + 1e-6);
        if (rowOf(from) > last) return;
        context.lineWidth = isOver ? 3.5 : 1.75;
        context.strokeStyle = context.fillStyle = isOver ? this.look.summary : this.look.text;
        for (let row = rowOf(from); row <= Math.min(last, rowOf(to)); row++) {
            const above = top + line.inset + row * (line.height + line.space) - 2, isBelow = !this.room.isWide && !last;
            const y = isBelow ? above + line.height + 4 : above, cap = isBelow ? -MEMVIZ_BRACKET_PIXELS : MEMVIZ_BRACKET_PIXELS, begins = row === rowOf(from), ends = row === rowOf(to);
            const [x, end] = [left + (begins ? from - row * laneWidth : 0), left + (ends ? to - row * laneWidth : laneWidth)];
            context.beginPath();
            if (begins) context.moveTo(x, y + cap);
            context[begins ? "lineTo" : "moveTo"](x, y);
            context.lineTo(end, y);
            if (ends) context.lineTo(end, y + (isOver ? Math.sign(cap) * line.height : cap));
            context.stroke();
        }
        // In the gap above the lane; a bracket that ends further down is named behind the lane's last line.
        const row = rowOf(to), middle = left + (row ? to - row * laneWidth : (from + Math.min(to, laneWidth)) / 2);
        const y = row || !this.room.isWide ? top + laneHeight + 0.55 * em : this.aboveLane(number);
        this.nameInLane(this.frames.limit(number, this.step)?.words ?? "", middle, y);
    }

    // Where words stand above a lane: in the gap below the one before.
    aboveLane(number) {
        const { em, gap, lanes } = this.room;
        return lanes[number].top - (number ? Math.min(0.55 * em, gap / 2) : 0.55 * em);
    }

    // Words at a place of a lane, moved as far as they would leave it.
    nameInLane(text, x, y) {
        const { context } = this, { left, laneWidth, em } = this.room;
        context.font = this.font(0.72 * em);
        const half = context.measureText(text).width / 2, right = left + laneWidth;
        context.fillText(text, Math.min(Math.max(x, left + half), right - half), y);
    }

    // Where the cached prefix of a request broke, and who broke it.
    drawBreak(number, top, line) {
        const broken = this.broken?.[number], { left, laneWidth, isWide } = this.room, { context } = this;
        if (!broken || this.isMoving) return;
        const row = Math.floor(broken.x / laneWidth + 1e-6), x = left + broken.x - row * laneWidth, y = top + line.inset + row * (line.height + line.space);
        context.fillStyle = context.strokeStyle = this.look.text;
        context.lineWidth = 2;
        context.beginPath();
        for (let part = 0; part <= 4; part++) context.lineTo(x + (part % 2 ? 3 : -3), y - 3 + ((line.height + 6) * part) / 4);
        context.stroke();
        if (isWide) this.nameInLane(broken.by, x, this.aboveLane(number));
    }

    // How much a full line is, above the first lane.
    drawScale() {
        const { context } = this, { left, laneWidth, em, lanes } = this.room;
        context.font = this.font(0.72 * em);
        context.fillStyle = this.look.muted;
        context.textAlign = "right";
        const _ = this._, full = this.frames.lines[this.step];
        const text = this.frames.isDollars ? _("a full line: {amount}", { amount: memvizDollars(full) }) : _("a full line: {tokens} tokens", { tokens: memvizNumber(full) });
        if (this.room.isWide) context.fillText(text, left + laneWidth, lanes[0].top - 0.55 * em);
        context.textAlign = "center";
    }

    box(x, y, w, h, radius, fill) {
        const { context } = this;
        context.fillStyle = fill;
        if (radius < 1.2) return context.fillRect(x, y, w, h);
        context.beginPath();
        context.roundRect(x, y, w, h, radius);
        context.fill();
    }

    hollow(x, y, w, h, color) {
        const { context } = this, inset = Math.min(1, w / 4);
        context.strokeStyle = color;
        context.lineWidth = Math.min(2, w / 2);
        context.strokeRect(x + inset, y + inset, w - 2 * inset, h - 2 * inset);
    }

    ring(x, y, w, h, radius) {
        const { context } = this;
        context.strokeStyle = this.look.text;
        context.lineWidth = 2.5;
        context.beginPath();
        context.roundRect(x - 1, y - 1, w + 2, h + 2, radius + 1);
        context.stroke();
    }

    // Dark or light words, whichever reads better on a colour that may let the page through.
    textOn(color) {
        const part = (value) => (value <= 10 ? value / 3295 : ((value / 255 + 0.055) / 1.055) ** 2.4);
        const [red, green, blue] = memvizMix(this.look.page, color, color[3]).map(part);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.21 ? "#14202b" : "#ffffff";
    }

    // What the pointer is on: a block of a lane, or a message of the strip.
    under(x, y) {
        const { cell, left, laneHeight, lanes } = this.room;
        const row = Math.floor(y / (cell.height + 3));
        if (row < cell.rows) {
            const at = row * cell.perRow + Math.floor(x / cell.width);
            return this.cells[at]?.code > 0 ? { position: at + this.frames.data.base, code: this.cells[at].code, setting: this.chosen } : null;
        }
        const number = lanes.findIndex(({ top }) => y >= top && y <= top + laneHeight);
        if (number < 0 || x < left) return null;
        const line = Math.floor(((y - lanes[number].top) / laneHeight) * this.lines[number].to), tape = x - left + line * this.room.laneWidth;
        const item = [...this.lanes[number].values()].find(({ now, isGone }) => !isGone && tape >= now.x && tape < now.x + now.w);
        return { ...item, setting: number, lane: true };
    }
}
