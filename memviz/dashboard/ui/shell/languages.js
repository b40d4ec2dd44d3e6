// Says of every text on the page in which language it is, where its script shows that: Streamlit's own elements and
// Plotly's charts take no `lang` from Python. The rule is that of memviz/core/text/language.py, which sends its numbers.
const LETTER = /\p{L}/gu;
const MINE = "data-memviz-lang";
let watching = null;

export default function ({ data }) {
    document.documentElement.lang = data.page;
    if (watching) return;
    const scripts = data.scripts.map(([code, pattern]) => [code, new RegExp(pattern, "gu")]);

    const language = (text) => {
        const start = text.slice(0, data.chars), letters = (start.match(LETTER) ?? []).length;
        const found = scripts.map(([code, script]) => [code, (start.match(script) ?? []).length]);
        const asian = found.reduce((sum, [, number]) => sum + number, 0);
        return asian && asian >= data.share * letters ? found.find(([, number]) => number)[0] : "";
    };
    const mark = (node) => {
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
    watching.observe(document.body, { subtree: true, childList: true, characterData: true });
    read(document.body);
}
