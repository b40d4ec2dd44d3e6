export default function ({ parentElement, data }) {
    parentElement.querySelector("span").textContent = data.words;
    parentElement.querySelector("a").href = `${location.pathname}?${whole(data.query)}`;
}
