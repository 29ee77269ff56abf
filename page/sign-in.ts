// Sends a person without a session to the login. The fragment of an address reaches no service and is lost in the
// provider's form, so it goes along in the address to come back to.
const { href } = document.querySelector<HTMLAnchorElement>("a.button")!;
const login = new URL(href);
login.searchParams.set("to", (login.searchParams.get("to") ?? "/") + location.hash);
location.replace(login);
