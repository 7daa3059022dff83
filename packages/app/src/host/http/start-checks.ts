/** What the gateway does not start with: each names the key, the value and the remedy. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { RuntimeError } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import type { App } from "../../app.ts";
import type { Translate } from "../../texts/translate.ts";
import { isPredictable } from "../auth/password.ts";
import type { AuthStore } from "../auth/store.ts";

export interface StartCheck {
  readonly loaded: App["loaded"];
  readonly auth: AuthStore;
  readonly setup: boolean;
  /** Absolute path of a configured one. */
  readonly pathOf: (path: string) => string;
  readonly t: Translate;
}

/** @throws RuntimeError `config.invalid`. */
export async function checkStart(check: StartCheck): Promise<void> {
  refuseSharedFiles(check);
  refuseWeakToken(check);
  refuseProxyTrust(check);
  await takePasswordFile(check);
  await refuseSharedSecrets(check);
  refuseOpenDoor(check);
}

/**
 * What a change of the settings would keep the next start from.
 * @throws RuntimeError `config.invalid`.
 */
export function checkSettings(check: Omit<StartCheck, "pathOf">): void {
  refuseWeakToken(check);
  refuseProxyTrust(check);
  refuseOpenDoor(check);
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function refuseOpenDoor({ loaded, auth, setup, t }: Omit<StartCheck, "pathOf">): void {
  const { host, token, tls, trustedProxies, allowPlainHttp } = loaded.config.gateway;
  if (isLoopback(host)) return;
  const isGuarded = auth.hasPassword() || auth.tokens().length > 0 || hasText(token);
  if (!isGuarded && !setup) throw refused(t("gateway.refuse.open", { host }));
  if (tls === null && trustedProxies.length === 0 && !allowPlainHttp)
    throw refused(t("gateway.refuse.plain", { host }));
}

/** 32 random bytes are 43 characters or more and look like it. */
function refuseWeakToken({ loaded, t }: Omit<StartCheck, "pathOf">): void {
  const { token } = loaded.config.gateway;
  if (!hasText(token)) return;
  const distinct = new Set(token).size;
  if (token.length >= 43 && distinct >= 12 && !isPredictable(token)) return;
  throw refused(t("gateway.refuse.token", { length: token.length, distinct }));
}

const ROUTING: readonly RegExp[] = [
  /^host$/,
  /^forwarded$/,
  /^x-forwarded-/,
  /^via$/,
  /^x-real-ip$/,
  /^authorization$/,
  /^cookie$/,
  /^origin$/,
];

function refuseProxyTrust({ loaded, t }: Omit<StartCheck, "pathOf">): void {
  const { proxyAuth } = loaded.config.gateway;
  if (proxyAuth === null) return;
  const header = proxyAuth.header.toLowerCase();
  if (ROUTING.some((one) => one.test(header))) throw refused(t("gateway.refuse.proxyHeader", { header }));
  const everybody = proxyAuth.peers.find((network) => network.endsWith("/0"));
  if (everybody !== undefined) throw refused(t("gateway.refuse.proxyPeers", { network: everybody }));
}

/** For unattended installs: what the file says is the password. */
async function takePasswordFile({ loaded, auth, pathOf, t }: StartCheck): Promise<void> {
  const configured = loaded.config.gateway.auth.passwordFile;
  if (configured === null) return;
  const passwordFile = pathOf(configured);
  refuseShared(passwordFile, t);
  let password: string;
  try {
    password = readFileSync(passwordFile, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    const values = { key: "gateway.auth.passwordFile", path: passwordFile, reason: messageOf(error) };
    throw refused(t("gateway.refuse.file", values), error);
  }
  if (await auth.checkPassword(password)) return;
  try {
    await auth.setPassword(password);
  } catch (error) {
    throw refused(`gateway.auth.passwordFile: ${messageOf(error)}`, error);
  }
}

async function refuseSharedSecrets({ loaded, auth, t }: StartCheck): Promise<void> {
  const { hooks, token } = loaded.config.gateway;
  const seen = new Map<string, string>(hasText(token) ? [[token, "gateway.token"]] : []);
  for (const [name, { secret }] of Object.entries(hooks)) {
    if (!hasText(secret)) continue;
    const isToken = typeof auth.bearer(secret) === "object";
    const isPassword = auth.hasPassword() && (await auth.checkPassword(secret));
    const other = seen.get(secret) ?? (isToken ? "a token" : isPassword ? "the password" : undefined);
    if (other !== undefined) throw refused(t("gateway.refuse.sameSecret", { name, other }));
    seen.set(secret, `gateway.hooks.${name}.secret`);
  }
}

function refuseSharedFiles({ loaded, pathOf, t }: StartCheck): void {
  const { home, secrets, config } = loaded.places;
  const own = ["auth.json", "push.json", "vault.json"].map((name) => join(home, name));
  for (const path of [...own, ...filesIn(secrets)]) refuseShared(path, t);
  // A configuration that only refers to secrets may be read by whoever likes.
  const holdsSecret = loaded.secrets.some((secret) => secret !== "" && JSON.stringify(loaded.raw).includes(secret));
  if (holdsSecret && othersMayEnter(home)) refuseShared(config, t);
  const { tls } = loaded.config.gateway;
  if (tls !== null) refuseShared(pathOf(tls.key), t);
}

function refuseShared(path: string, t: Translate): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (process.platform === "win32" || mode === undefined || (mode & 0o077) === 0) return;
  throw refused(t("gateway.refuse.shared", { path, mode: (mode & 0o777).toString(8) }));
}

function othersMayEnter(directory: string): boolean {
  return ((statSync(directory, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).map((name) => join(directory, name));
  } catch {
    return []; // there is none: no secret was stored
  }
}

function hasText(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

function refused(message: string, cause?: unknown): RuntimeError {
  return new RuntimeError("config.invalid", message, cause === undefined ? {} : { cause });
}
