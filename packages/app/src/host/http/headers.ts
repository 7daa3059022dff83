/** Headers of every answer. */

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(self)",
};

/** What the gateway's own document may load and do. @param host of the request, which was checked. */
export function contentSecurityPolicy(host: string, secure: boolean): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "media-src blob:",
    "font-src 'self'",
    `connect-src 'self' ${secure ? "wss" : "ws"}://${host}`,
    "frame-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The service worker of notices has an address, which is all that the policy of this name gives (`web/push/device.ts`).
    "trusted-types margay-push",
  ].join("; ");
}

/** The service worker that shows notices: it loads and asks for nothing but the icon on them, which Firefox counts as its image. */
export const WORKER_PATH = "/push-worker.js";
export const WORKER_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; img-src 'self'",
};

/** The documentation reads its search index, and nothing else: no socket, no frame, no form. */
export const HELP_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Nothing in such an answer can act, wherever it is opened. */
export const INERT_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; sandbox",
};

/** Where a page that the model wrote is shown (`web/preview/`). */
export const PREVIEW_PAGE = "/assets/preview.html";

const PREVIEW_POLICY = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "media-src data: blob:",
  "font-src data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
];

/**
 * Headers of the frame in which a page that the model wrote is shown (`web/preview/`). Opened directly it has an opaque origin
 * too, and what it shows reaches nothing: no cookie, no storage, no address, not this gateway either.
 *
 * `Connection-Allowlist` (https://github.com/WICG/connection-allowlists, tried in Chromium 156) covers what CSP leaves open:
 * WebRTC, and the connection that is prepared for a navigation before `frame-src` of the page around it refuses it.
 * An empty X-Frame-Options removes the common one: the frame is shown inside our own page.
 */
export const PREVIEW_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": PREVIEW_POLICY.join("; "),
  "connection-allowlist": "()",
  "x-dns-prefetch-control": "off",
  "x-frame-options": "",
};
