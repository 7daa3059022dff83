/** A connection to the mailbox: how it is opened, and what its failures mean. */
import type { ChannelHost } from "@margay/core/plugin";
import type { ImapFlow } from "imapflow";
import { fieldOf, textOf } from "./errors.ts";
import type { Settings } from "./settings.ts";
import { tlsFault } from "./tls.ts";

const CONNECT_MS = 30_000;
/** Longer than the 85 s after which a silent connection is asked whether it lives. */
const SOCKET_MS = 150_000;

/** Connected and logged in. Whoever has it closes it. @throws a fault. */
export async function openImap(settings: Settings, host: ChannelHost, signal: AbortSignal): Promise<ImapFlow> {
  const { ImapFlow: Client } = await loadClient(() => host.clock.sleep(0, signal));
  const { host: address, port, security, user, password } = settings.imap;
  signal.throwIfAborted();
  const client = new Client({
    host: address,
    port,
    secure: security === "tls",
    // The name for TLS is that of the settings, not of an address that it resolved to.
    ...(security === "starttls" && { doSTARTTLS: true }),
    ...(security === "none" && { doSTARTTLS: false }),
    auth: { user, pass: password },
    logger: false,
    disableAutoIdle: true, // `receive` idles when it has read everything
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SOCKET_MS,
    clientInfo: { name: "margay" },
  });
  client.on("error", () => {}); // what is under way fails with it; without a listener it would end the process
  const stop = (): void => client.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await client.connect();
  } catch (error) {
    client.close();
    signal.throwIfAborted();
    throw imapFault(error, settings, host);
  }
  client.on("close", () => signal.removeEventListener("abort", stop));
  return client;
}

/** All of it at once would hold the event loop for a tenth of a second: what it is made of comes first, each in a turn of its own. */
async function loadClient(othersTurn: () => Promise<void>): Promise<{ readonly ImapFlow: typeof ImapFlow }> {
  for (const part of [() => import("pino"), () => import("socks"), () => import("libmime")]) {
    await part();
    await othersTurn();
  }
  return import("imapflow");
}

/** What a person can do about it. */
export function imapFault(error: unknown, { imap }: Settings, host: ChannelHost): Error {
  const place = `${imap.host}:${imap.port}`;
  const text = textOf(error);
  if (fieldOf(error, "authenticationFailed") === true)
    return host.fault(
      "auth",
      `The mail server ${place} refused the login of ${imap.user}: ${text}. Check user and password; some providers want an app password.`,
      { cause: error },
    );
  return (
    tlsFault(error, "imap", imap, host) ??
    host.fault("again", `The mail server ${place} cannot be used: ${text}. It is tried again.`, { cause: error })
  );
}
