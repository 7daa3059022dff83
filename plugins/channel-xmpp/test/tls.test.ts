// What a server on the net asks for, and what the settings ask for unless told: TLS, in the built gateway, as it trusts by itself.
import { expect, onTestFinished, test } from "vitest";
import { channelGateway } from "../../../packages/app/test/durability/channel-kills.ts";
import type { Running } from "../../../packages/app/test/durability/killed-gateway.ts";
import { makeCertificate } from "../../../packages/core/test/support/certificate.ts";
import type { XmppServer } from "./peer.ts";
import { DOMAIN, PASSWORD } from "./person.ts";
import { BOT, temporary, xmppServer } from "./support.ts";

const SOON = { timeout: 30_000 };

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly problem?: { readonly text?: string };
}

interface Options {
  readonly trusted?: string;
  readonly port: number;
  readonly security?: string | undefined;
}

async function gatewayOf(operator: string, { trusted, port, security }: Options): Promise<Running> {
  const options = { jid: BOT, password: PASSWORD, host: "127.0.0.1", port, ...(security && { security }) };
  const gateway = await channelGateway("xmpp", { operators: [operator], options });
  const environment = { NODE_EXTRA_CA_CERTS: trusted ?? "" };
  const running = await gateway.start(undefined, { environment });
  if (running === undefined) throw new Error("it did not start");
  onTestFinished(() => running.kill());
  return running;
}

async function shown({ url, token }: Running): Promise<Shown | undefined> {
  const response = await fetch(`${url}/api/v1/channels`, { headers: { authorization: `Bearer ${token}` } });
  const all = (await response.json()) as readonly Shown[]; // its schema says so
  return all.find(({ id }) => id === "xmpp");
}

test.for([
  ["STARTTLS, as nothing else is set", undefined, (server: XmppServer) => server.proxy.port],
  ["TLS from the first byte", "tls", (server: XmppServer) => server.tlsPort],
] as const)(
  "CH322 %s: a message is answered, and nothing of the login passes in the clear",
  async ([, security, portOf]) => {
    const tls = makeCertificate(temporary(), DOMAIN);
    const server = await xmppServer({ tls });
    const anna = await server.person("anna");
    const running = await gatewayOf(anna.jid, { trusted: tls.authority, port: portOf(server), security });
    await expect.poll(async () => (await shown(running))?.state, SOON).toBe("up");
    await anna.write(BOT, "number 7");
    await expect.poll(() => anna.seen.map(({ text }) => text), SOON).toContain("Answer to 7.");
    expect(server.proxy.said).not.toMatch(/<auth|<message/);
  },
);

test.for([
  ["that nobody vouches for", DOMAIN, undefined, "start margay with NODE_EXTRA_CA_CERTS=FILE"],
  ["of another name", "other.test", "its own", "Check options.jid"],
] as const)(
  "CH60 CH137 a certificate %s is refused and said, before anything of the login",
  async ([, name, trust, cure]) => {
    const tls = makeCertificate(temporary(), name);
    const server = await xmppServer({ tls });
    const trusted = trust && tls.authority;
    const running = await gatewayOf(`anna@${DOMAIN}`, { port: server.proxy.port, ...(trusted && { trusted }) });
    await expect.poll(async () => (await shown(running))?.state, SOON).toBe("failed");
    const said = JSON.stringify(await shown(running));
    expect(said).toContain(`The certificate of ${DOMAIN} is not to be trusted`);
    expect(said).toContain(cure);
    expect(said).not.toContain("--use-system-ca");
    expect(server.proxy.said).not.toContain("<auth");
  },
);
