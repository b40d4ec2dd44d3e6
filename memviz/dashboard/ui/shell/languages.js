// Says of every text on the page in which language it is, where its script shows that: Streamlit's own elements and
// Plotly's charts take no `lang` from Python. The rule is that of memviz/core/text/words.py, which sends its numbers.
// It also says Streamlit's own texts of fields and uploads, which are English, in the language of the page.
const LETTER = /\p{L}/gu;
const MINE = "data-memviz-lang";
const OWN = '[data-testid^="stFileUploader"], [data-testid="InputInstructions"]';
const originals = new WeakMap(); // what Streamlit wrote, by its nodes
let watching = null, own = {};

export default function ({ data }) {
    document.documentElement.lang = data.page;
    own = data.own;
    if (watching) {
        document.querySelectorAll(OWN).forEach(watching.read);
        return;
    }
    const scripts = data.scripts.map(([code, pattern]) => [code, new RegExp(pattern, "gu")]);

    const language = (text) => {
        const start = text.slice(0, data.chars), letters = (start.match(LETTER) ?? []).length;
        const found = scripts.map(([code, script]) => [code, (start.match(script) ?? []).length]);
        const asian = found.reduce((sum, [, number]) => sum + number, 0);
        return asian && asian >= data.share * letters ? found.find(([, number]) => number)[0] : "";
    };
    const translate = (node) => {
        if (!node.parentElement?.closest(OWN)) return;
        const before = originals.get(node);
        const text = before?.shown === node.data ? before.text : node.data;
        const size = text.match(/^(\S+) per file$/)?.[1];
        const shown = size ? own["{size} per file"].replace("{size}", size) : own[text] ?? text;
        originals.set(node, { text, shown });
        if (shown !== node.data) node.data = shown;
    };
    const mark = (node) => {
        translate(node);
        const element = node.parentElement;
        if (!element || element.closest("script, style") || (element.lang && !element.hasAttribute(MINE))) return;
        const own = [...element.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE);
        const code = language(own.map((child) => child.data).join(" "));
        const around = element.parentElement?.closest("[lang]")?.getAttribute("lang");
        if (code && code !== around) {
            element.setAttribute("lang", code);
            element.setAttribute(MINE, "");
        } else if (element.hasAttribute(MINE)) {
            element.removeAttribute("lang");
            element.removeAttribute(MINE);
        }
    };
    const read = (root) => {
        if (root.nodeType === Node.TEXT_NODE) mark(root);
        const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) mark(texts.currentNode);
    };
    watching = new MutationObserver((changes) => {
        for (const { type, target, addedNodes } of changes) {
            if (type === "characterData") mark(target);
            else addedNodes.forEach(read);
        }
    });
    watching.read = read;
    watching.observe(document.body, { subtree: true, childList: true, characterData: true });
    read(document.body);
}
