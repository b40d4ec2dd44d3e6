// Puts a text into the clipboard, and says so on the button for a while. The clipboard is there on secure pages and on
// this machine only; elsewhere the browser copies a selection. Where it may not do that either, `otherwise` shows the
// text, and returns what the button is to say.
const MEMVIZ_SAID_MILLISECONDS = 2000;

function memvizCopy(button, text, otherwise) {
    const words = (button.dataset.words ??= button.textContent);
    const say = (said) => {
        if (!said) return;
        button.textContent = said;
        setTimeout(() => (button.textContent = words), MEMVIZ_SAID_MILLISECONDS);
    };
    const copied = navigator.clipboard ? navigator.clipboard.writeText(text) : memvizCopySelected(button, text);
    copied.then(() => say("Copied"), () => say(otherwise()));
}

async function memvizCopySelected(button, text) {
    const area = document.createElement("textarea");
    area.value = text;
    button.after(area); // a dialog takes the focus back from what stands outside of it
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    button.focus({ preventScroll: true });
    if (!isCopied) throw new Error("The browser does not copy.");
}
