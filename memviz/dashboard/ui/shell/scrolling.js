// Scrolls once for each new mark: it is asked again whenever the page is drawn anew.
const LOWEST = 0.6; // of the window's height: a result that begins above this is seen
const RESULT_WAITS_MS = [50, 400], END_WAITS_MS = [0, 100, 300, 700]; // what belongs to it may be drawn a little later
const marks = {}; // by the keys of the places that ask
let waiting = []; // the looks at a result that are still to come

export default function ({ parentElement, data: { to, key, mark } }) {
    const place = parentElement.getRootNode().host ?? parentElement;
    if (to === "end") return toEnd(boxOf(place), mark);
    if (marks[key] === mark) return;
    marks[key] = mark;
    waiting.forEach(clearTimeout); // whoever went on at once reads what comes next, from its beginning
    if (to === "top") document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 });
    else toResult(place.closest(".stElementContainer"));
}

// The place itself takes no room, and so is nowhere: the result begins with what follows it.
function toResult(place) {
    waiting = RESULT_WAITS_MS.map(wait => setTimeout(() => {
        const first = place?.nextElementSibling;
        if (first?.getBoundingClientRect().top > LOWEST * innerHeight) first.scrollIntoView({ block: "center" });
    }, wait));
}

function boxOf(place) {
    let box = place;
    while (box && !/auto|scroll/.test(getComputedStyle(box).overflowY)) box = box.parentElement;
    return box;
}

// A box that is drawn anew is at its beginning, so it keeps the mark itself.
function toEnd(box, mark) {
    if (!box || box.dataset.newest === mark) return;
    box.dataset.newest = mark;
    let put = -1; // who scrolls up meanwhile is left alone
    for (const wait of END_WAITS_MS) {
        setTimeout(() => {
            if (box.scrollTop < put - 1 && box.scrollTop + box.clientHeight < box.scrollHeight - 1) put = Infinity;
            if (put === Infinity) return;
            box.scrollTop = box.scrollHeight;
            box.scrollIntoView({ block: "nearest" });
            put = box.scrollTop;
        }, wait);
    }
}
