// What an address asks for, whatever part of the page it shows: the parts that memviz/dashboard/ui/shell/presenting.py knows.
function whole(query) {
    const parts = [...new URLSearchParams(query)].filter(([name, text]) =>
        !/^(present|hide|embed|embed_options)$/i.test(name) && !(name === "view" && text === "minimal"));
    return new URLSearchParams(parts.map(([name, text]) => [name === "show" ? "view" : name, text]));
}

