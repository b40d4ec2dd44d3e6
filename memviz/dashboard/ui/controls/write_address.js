// The address of the page is the link as well, so that a reload shows what was there. It replaces the one before:
// *Back* leads to the page before, not through every value that a slider had.
function writeAddress(place, data) {
    place.path ??= location.pathname;
    // Of several places that write it the one that was drawn last knows what the page shows.
    if (location.pathname !== place.path || data.at < (window.memvizAddressAt ?? 0)) return;
    window.memvizAddressAt = data.at;
    // Whether the page is embedded is Streamlit's part of the address, and stays as it is.
    const embed = location.search.slice(1).split("&").filter((part) => /^embed(_options)?=/i.test(part));
    const query = "?" + [data.query, ...embed].filter(Boolean).join("&");
    if (location.search !== query) history.replaceState(history.state, "", location.pathname + query);
}
