/** The real channel behind a real postfix and a real dovecot. */
import type { Json } from "@margay/core";
import PostalMime, { type Email } from "postal-mime";
import { expect, onTestFinished } from "vitest";
import * as alone from "../../../packages/core/test/channels/alone.ts";
import { startGateway, type TestGateway } from "../../../packages/app/test/gateway/support.ts";
import { plugin } from "../src/index.ts";
import { type Certificate, makeCertificate } from "../../../packages/core/test/support/certificate.ts";
import type { MailServer, MailUser } from "./peer.ts";
import { type Postfix, type PostfixManners, startPostfix } from "./postfix.ts";
import { mailServer, settings, temporary } from "./support.ts";
import { Wire } from "./wire.ts";

export const LATE = { timeout: 20_000 };

export interface House {
  readonly server: MailServer;
  readonly postfix: Postfix;
  readonly certificate: Certificate;
}

export async function house(manners?: PostfixManners): Promise<House> {
  const certificate = makeCertificate(temporary());
  const server = await mailServer({ certificate });
  const postfix = await startPostfix({ server, certificate }, manners);
  onTestFinished(() => postfix[Symbol.asyncDispose]());
  return { server, postfix, certificate };
}

export async function wireTo(port: number): Promise<Wire> {
  const wire = await new Wire(port).open();
  onTestFinished(() => wire.close());
  return wire;
}

/** All that is encrypted is, and both servers are known by their name. */
export function encrypted({ server, postfix }: Omit<House, "certificate">): Readonly<Record<string, Json>> {
  return settings(server, {
    imapHost: "localhost",
    imapPort: server.imapsPort,
    imapSecurity: "tls",
    smtpHost: "localhost",
    smtpPort: postfix.submissionPort,
    smtpSecurity: "starttls",
  });
}

export function clear(
  { server, postfix }: Omit<House, "certificate">,
  port = postfix.clearPort,
): Readonly<Record<string, Json>> {
  return settings(server, { smtpPort: port });
}

export function channelOf(options: Readonly<Record<string, Json>>, operators: readonly string[]) {
  return { enabled: true, kind: "email", operators: [...operators], options: { ...options } };
}

export async function mailsOf(server: MailServer, user: MailUser, folder?: string): Promise<readonly Email[]> {
  return Promise.all(server.mailbox(user, folder).map((raw) => PostalMime.parse(raw)));
}

/** A gateway of this process with that mailbox. */
export async function gatewayWith(
  options: Readonly<Record<string, Json>>,
  operators: readonly string[],
): Promise<TestGateway> {
  const gateway = await startGateway(
    { onTestFinished },
    { config: { channels: { mail: channelOf(options, operators) } } },
  );
  await expect.poll(async () => (await gateway.api("/channels/mail")).body.state, LATE).toBe("up");
  return gateway;
}

export async function waitingIn(gateway: TestGateway): Promise<readonly unknown[]> {
  return (await gateway.api("/outbox")).body.items;
}

const piece = {
  reply: "r1",
  to: { channel: "mail", chat: "anna@mail.test" },
  kind: "message",
  parts: [{ type: "text", text: "hello" }],
} as const;

/** One mail by the channel alone. @returns what it threw */
export async function sendAlone(options: Readonly<Record<string, Json>>, bytes?: Uint8Array): Promise<unknown> {
  const host = alone.testHost("mail", temporary());
  const files =
    bytes === undefined ? [] : [await host.media.save(bytes, { name: "a.bin", mediaType: "application/octet-stream" })];
  const channel = plugin.create({ id: "mail", settings: { ...options } }, host);
  return channel.send({ ...piece, parts: [...piece.parts, ...files] }, new AbortController().signal).then(
    () => "sent",
    ({ kind, sent, message }: Error & { kind: string; sent: string }) => ({ kind, sent, message }),
  );
}
