// The address of the page is that of what it shows, so the links are made here, when they are asked for.

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
    const copy = (button, text) => memvizCopy(button, text, () => { prompt("Copy this", text); });
    find(".help").textContent = data.help;
    find("[name=present]").onclick = () => dispatchEvent(new Event("memviz-present"));
    find("[name=link]").onclick = (event) => copy(event.currentTarget, presented());
    find("[name=code]").onclick = (event) => { show(); copy(event.currentTarget, code()); };
    find(".share").onpointerenter = area.onfocus = show;
    show();
}
