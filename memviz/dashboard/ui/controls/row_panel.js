// Who opens the panel of a setting's row types its main number at once: the field has the focus.
const LOOK_MILLISECONDS = 50;
const TRIES = 20;

export default function () {
    document.addEventListener("click", clicked);
    return () => document.removeEventListener("click", clicked);
}

function clicked({ target }) {
    const button = target.closest?.(".st-key-setting-rows [data-testid=stPopoverButton]");
    if (button) setTimeout(focus, LOOK_MILLISECONDS, button, TRIES);
}

// The panel is there a moment after the click; a click that closed it is followed by none.
function focus(button, tries) {
    const panel = document.querySelector("[data-testid=stPopoverBody]"), field = panel?.querySelector("input[type=number]");
    if (panel?.querySelector("input:focus")) return; // the visitor was quicker
    if (field && button.ariaExpanded === "true") {
        field.focus();
        field.select();
    } else if (tries) setTimeout(focus, LOOK_MILLISECONDS, button, tries - 1);
}
