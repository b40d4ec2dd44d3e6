// The address of the page is that of what it shows, so the links are made here, when they are asked for.
const SHOWN_MILLISECONDS = 2000;

export default function ({ parentElement, data }) {
    const find = (name) => parentElement.querySelector(name), area = find("textarea");
    const presented = () => {
        const parts = whole(location.search);
        parts.set("present", "on");
        return `${location.origin}${location.pathname}?${parts}`;
    };
    const code = () => {
        const parts = [...whole(location.search)].map(([name, text]) => [name === "view" ? "show" : name, text]);
        const query = new URLSearchParams([...parts, ["view", "minimal"], ["embed", "true"]]);
        const address = `${location.origin}${location.pathname}?${query}`.replaceAll("&", "&amp;");
        return `<iframe src="${address}" title="memviz" width="100%" height="480" style="border: 0" loading="lazy"></iframe>`;
    };
    const show = () => { area.value = code(); };
    const copy = (button, text) => {
        const words = button.dataset.words ??= button.textContent;
        const shown = (said) => {
            button.textContent = said;
            setTimeout(() => { button.textContent = words; }, SHOWN_MILLISECONDS);
        };
        // The clipboard is there on secure pages and on this machine only; elsewhere the address is shown.
        const copied = navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject();
        copied.then(() => shown("Copied"), () => { prompt("Copy this", text); });
    };
    find(".help").textContent = data.help;
    find("[name=present]").onclick = () => dispatchEvent(new Event("memviz-present"));
    find("[name=link]").onclick = (event) => copy(event.currentTarget, presented());
    find("[name=code]").onclick = (event) => { show(); copy(event.currentTarget, code()); };
    find(".share").onpointerenter = area.onfocus = show;
    show();
}
