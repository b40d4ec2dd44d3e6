// The server is asked for the link when it is clicked: what was changed within a fragment did not draw this button
// again. How a text is copied is said in memviz/dashboard/stage/copy.js, which stands before this.
const ANSWER_MILLISECONDS = 3000; // a browser allows copying for some 5 seconds after a click

export default function ({ parentElement, data, setTriggerValue }) {
    const button = parentElement.querySelector("button");
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
        memvizCopy(button, address, () => { prompt("Copy this address", address); });
    };
}
