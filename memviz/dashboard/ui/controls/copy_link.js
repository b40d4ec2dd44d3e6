// The clipboard is there on secure pages and on this machine only; elsewhere the browser copies a selection. The server
// is asked for the link when it is clicked: what was changed within a fragment did not draw this button again.
const ANSWER_MILLISECONDS = 3000; // a browser allows copying for some 5 seconds after a click

export default function ({ parentElement, data, setTriggerValue }) {
    const button = parentElement.querySelector("button");
    const select = (text) => {
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        const done = document.execCommand("copy");
        area.remove();
        return done ? Promise.resolve() : Promise.reject();
    };
    button.query = data.query;
    writeAddress(button, data);
    if (button.asked !== undefined && button.asked === data.asked) button.answered();
    button.title = data.help;
    button.onclick = async () => {
        await new Promise((resolve) => {
            button.asked = Date.now() % 1e9;
            button.answered = resolve;
            setTimeout(resolve, ANSWER_MILLISECONDS);
            setTriggerValue("asked", button.asked);
        });
        const address = location.origin + location.pathname + "?" + button.query;
        const copied = navigator.clipboard ? navigator.clipboard.writeText(address) : select(address);
        copied.then(() => { button.textContent = "Copied"; }, () => { prompt("Copy this address", address); });
        setTimeout(() => { button.textContent = "Copy link"; }, 2000);
    };
}
