/** What happens to who logs in by a code. */
import assert from "node:assert/strict";
import type { ChannelHost, LoginStep } from "../../contract/channel.ts";
import type { Case } from "./cases.ts";
import type { House, Margay } from "./house.ts";

/** As a channel ends when it is told to. */
const END_MS = 2000;

export function login(test: Case): void {
  test(
    "CH172 CH96 a login: another code comes before one expires, what is refused or never scanned says so, a cancelled one ends, and a done one gives settings that work",
    async (house) => {
      const { peer, clock } = house;
      const margay = await house.start();
      const host = { ...margay.host, clock };
      await expired(house, host);
      await refused(house, host);
      await cancelled(house, host);
      const settings = await done(house, host);
      const account = await peer.plugin.probe?.({ id: peer.id, settings }, host, AbortSignal.timeout(15_000));
      assert.match(account ?? "", /\w/);
      noSecrets(margay, settings);
    },
    { needs: ["login"] },
  );
}

type Shown = Extract<LoginStep, { readonly expiresAt: number }>;

/** @param act done with each code that is shown. @returns the steps, and what it threw. */
async function steps(
  { peer }: House,
  host: ChannelHost,
  act: (shown: Shown) => void | Promise<void>,
  signal: AbortSignal = AbortSignal.timeout(60_000),
): Promise<{ readonly steps: readonly LoginStep[]; readonly error: unknown }> {
  assert.ok(peer.plugin.login !== undefined && peer.login !== undefined, "it has a login");
  const seen: LoginStep[] = [];
  try {
    for await (const step of peer.plugin.login({ id: peer.id, settings: peer.login.settings }, host, signal)) {
      seen.push(step);
      if ("expiresAt" in step) await act(step);
    }
    return { steps: seen, error: undefined };
  } catch (error) {
    return { steps: seen, error };
  }
}

async function expired(house: House, host: ChannelHost): Promise<void> {
  const codes: Shown[] = [];
  const { error, steps: seen } = await steps(house, host, (shown) => {
    const now = house.clock.now();
    assert.ok(shown.expiresAt > now, "it holds when it is shown");
    const before = codes.at(-1);
    assert.ok(before === undefined || now < before.expiresAt, "it comes before the last one expires");
    codes.push(shown);
  });
  assert.ok(codes.length > 1, "it is renewed");
  assert.equal(new Set(codes.map((one) => codeOf(one))).size, codes.length, "each is another one");
  assert.ok(!seen.some(({ type }) => type === "done"));
  says(error);
}

async function refused(house: House, host: ChannelHost): Promise<void> {
  const { error, steps: seen } = await steps(house, host, (shown) => house.peer.login?.act(codeOf(shown), "refuse"));
  assert.equal(seen.filter((step) => "expiresAt" in step).length, 1, "it ends with the refusal");
  says(error);
}

async function cancelled(house: House, host: ChannelHost): Promise<void> {
  const over = new AbortController();
  const reason = new Error("the page is closed");
  let at = Infinity;
  const { error } = await steps(
    house,
    host,
    () => {
      at = performance.now();
      over.abort(reason);
    },
    over.signal,
  );
  assert.ok(performance.now() - at < END_MS, "it ends when it is cancelled");
  assert.equal(error, reason);
}

async function done(house: House, host: ChannelHost): Promise<LoginSettings> {
  const { steps: seen, error } = await steps(house, host, (shown) => house.peer.login?.act(codeOf(shown), "agree"));
  assert.equal(error, undefined, String(error));
  const last = seen.at(-1);
  assert.ok(last?.type === "done", "the last step is `done`");
  assert.match(last.account, /\w/);
  return { ...house.peer.login?.settings, ...last.settings };
}

type LoginSettings = NonNullable<House["peer"]["login"]>["settings"];

function codeOf(shown: Shown): string {
  return shown.type === "qr" ? shown.data : shown.code;
}

function says(error: unknown): void {
  assert.ok(error instanceof Error, "it ends with an error");
  assert.match(error.message, /\.\s+\S/, "what happened. What to do.");
}

function noSecrets({ log }: Margay, settings: LoginSettings): void {
  const secrets = Object.entries(settings).filter(([name]) => /(?:token|secret|password|key)$/i.test(name));
  assert.ok(secrets.length > 0, "it gives a secret");
  for (const [name, secret] of secrets)
    assert.ok(!JSON.stringify(log).includes(String(secret)), `${name} is in the log`);
}
