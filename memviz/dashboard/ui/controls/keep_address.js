export default function ({ parentElement, data }) {
    writeAddress(parentElement.querySelector("span"), data);
}
