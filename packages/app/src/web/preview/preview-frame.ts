/**
 * Runs in the sandboxed frame alone, before what is shown there: takes a page as text and becomes it. What keeps that page from
 * the network are the headers of this document (`host/http/preview-headers.ts`); what is taken away here is for browsers that
 * do not know all of them, and holds in this window only.
 */
const REACHING = ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "WebTransport", "navigation"];
const NO_SCRIPTS = `<meta http-equiv="Content-Security-Policy" content="script-src 'none'">`;

for (const name of REACHING) Reflect.deleteProperty(globalThis, name);
addEventListener("message", take);
parent.postMessage({ ready: true }, "*");

interface Given {
  readonly html?: unknown;
  readonly scripts?: unknown;
}

function take({ source, data }: MessageEvent<Given>): void {
  if (source !== parent || typeof data.html !== "string") return;
  const { html, scripts } = data;
  document.open(); // which takes away every listener of this window too
  addEventListener("message", answer);
  addEventListener("error", fail);
  // It comes first, before anything that could run: nothing behind it takes it back.
  document.write(scripts === true ? html : NO_SCRIPTS + html);
  document.close();
  parent.postMessage({ shown: true }, "*");
}

/** Whoever is caught in a loop answers nothing. */
function answer({ source, data }: MessageEvent<{ readonly ping?: unknown }>): void {
  if (source === parent && typeof data === "object" && "ping" in data) parent.postMessage({ pong: data.ping }, "*");
}

function fail({ message, lineno }: ErrorEvent): void {
  parent.postMessage({ fault: `${message}${lineno > 0 ? ` (${String(lineno)})` : ""}` }, "*");
}
