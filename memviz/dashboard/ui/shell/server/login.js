// A link to the door may carry the code behind "#", which browsers send to no server: it stands in no log.
const code = decodeURIComponent(location.hash.slice(1));
if (code) {
  document.getElementById("password").value = code;
  document.getElementById("name").focus();
  history.replaceState(null, "", location.pathname + location.search);
}
