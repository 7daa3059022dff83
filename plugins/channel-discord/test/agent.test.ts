// A whole agent behind the channel: from what a person writes to what is shown, and a process that ends in between.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createAgent, defineTool, httpProvider, type Agent, type JsonObject, type Policy } from "@margay/core";
import { commandList, commandTexts } from "@margay/core/internal";
import { stalls } from "@margay/core/internal/testing";
import { callsTool, type MockModel, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { never, run, scene, type Process, type Scene } from "./support.ts";

const ALLOW: Policy = {
  admit: () => Promise.resolve({ ok: true }),
  judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
};

const note = defineTool<JsonObject>({
  name: "note",
  description: "Writes something down.",
  input: { type: "object", properties: { text: {} } },
  effect: "write",
  execute: () => Promise.resolve("noted"),
});

/** One process: the channel and the agent on the folders of the scene. */
function process(
  place: Scene,
  model: MockModel,
  policy = ALLOW,
): Process & { readonly agent: Agent; end(): Promise<void> } {
  const workspace = join(place.folder, "workspace");
  mkdirSync(workspace, { recursive: true });
  const made = place.again();
  const { channel, host } = made;
  const agent = createAgent({
    directory: join(place.folder, "home"),
    workspace,
    provider: httpProvider({ id: "mock", wire: "openai-chat", baseUrl: `${model.url}/v1`, keys: ["test-key"] }),
    model: { provider: "mock", model: "mock-model" },
    policy,
    mayApprove: ({ id }) => id === place.anna.id,
    channels: [channel],
    tools: [note],
    blobs: host.blobs,
    log: host.log,
  });
  const stop = new AbortController();
  const running = agent.run(stop.signal);
  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    stop.abort(new Error("the process ends"));
    await agent[Symbol.asyncDispose](); // at once: nothing in hand is brought to its end
    await running;
  };
  const once = (): Promise<void> => (ended ??= end());
  onTestFinished(once);
  return { ...made, agent, end: once };
}

test("CH220 R256 a process that ends while the model answers, and a message that is told twice: answered once", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const model = await startMockModel();
  onTestFinished(() => model.close());
  model.replies(stalls({ rest: says("too late") }), says("the answer"), says("the second"));
  const first = process(place, model);
  await first.settled();
  const question = discord.write(anna, dm, "a question");
  await model.received(1);
  await first.end();
  await discord.until(() => discord.gateway.open() === 0);
  expect(discord.shown(dm)).toHaveLength(1);
  discord.gateway.repeat(question);
  const second = process(place, model);
  await discord.until(() => discord.shown(dm).length === 2);
  await second.settled();
  discord.gateway.repeat(question);
  discord.write(anna, dm, "another");
  await discord.until(() => discord.shown(dm).length === 4);
  await second.agent.idle();
  expect(discord.shown(dm).map(({ text }) => text)).toEqual(["a question", "the answer", "another", "the second"]);
  expect(discord.gateway.identifiesLeft()).toBe(999);
});

test("CH66 CH67 an answer is shown while it is written, in one message; a process that ends in between goes on in it", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const half = stalls({ after: "The **first** half, which is long enough to be seen. ", rest: says("Never said.") });
  model.replies(half, says("The **whole** answer, @everyone."));
  const first = process(place, model);
  await first.settled();
  discord.write(anna, dm, "a question");
  await discord.until(() => discord.shown(dm).length === 2);
  expect(discord.shown(dm)[1]?.text).toBe("The **first** half, which is long enough to be seen.");
  // Its id has come back, and is kept.
  const session = await first.agent.sessions.find(`discord:${dm.id}`);
  await expect.poll(() => session?.state.live?.messages[0]?.id).toMatch(/^\d+$/);
  await first.end();
  const second = process(place, model);
  await second.agent.resume();
  await discord.until(() => discord.shown(dm)[1]?.text === "The **whole** answer, @everyone.");
  await second.agent.idle();
  expect(discord.shown(dm)).toHaveLength(2);
});

test("CH70 CH71 CH72 CH225 an approval is pressed by an operator, carried out once, and its buttons are gone", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const eve = discord.person("Eve");
  const model = await startMockModel();
  onTestFinished(() => model.close());
  model.replies(callsTool("note", { text: "milk" }), says("Written."));
  const asks: Policy = {
    ...ALLOW,
    judge: () => Promise.resolve({ kind: "ask", rule: "test", prompt: "Write it?", expiresInMs: 60_000 }),
  };
  const { settled } = process(place, model, asks);
  await settled();
  discord.write(anna, dm, "note milk");
  const question = () => discord.shown(dm).find(({ buttons }) => buttons.length > 0);
  await discord.until(() => question() !== undefined);
  const { id = "", buttons = [] } = question() ?? {};
  const asked = { id, channel_id: dm.id };
  const [allow = ""] = buttons;
  expect(allow).toMatch(/^[\w-]{22}$/);
  const stranger = discord.press(eve, asked, allow);
  await discord.until(() => stranger.answered === 4);
  expect(discord.shown(dm).at(-1)?.flags).toBe(64);
  expect(model.requests).toHaveLength(1);
  const pressed = discord.press(anna, asked, allow);
  await discord.until(() => pressed.answered === 6);
  await discord.until(() => discord.shown(dm).at(-1)?.text === "Written.");
  await discord.until(() => question() === undefined);
  expect(model.requests).toHaveLength(2);
  expect(discord.shown(dm).find((one) => one.id === id)?.text).toMatch(/Anna/);
});

test("CH74 CH170 CH26 CH224 a command that is chosen is that command in its chat, once, and who chose it is told so at once and alone", async () => {
  const place = await scene();
  const { discord, anna, dm } = place;
  const club = discord.channel(discord.guild("Club", anna), "general");
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const first = process(place, model);
  await first.settled();
  await place.channel.commands?.(commandList(commandTexts), never);
  expect(discord.commands.at(-1)?.find(({ name }) => name === "stop")).toMatchObject({
    description: "stop what is running and take back what waits",
    description_localizations: { "zh-CN": expect.stringContaining("停止") },
  });
  const own = (at: typeof dm) => discord.shown(at).filter((one) => one.own);
  const chosen = discord.command(anna, dm, "persona", "nobody");
  await discord.until(() => chosen.answered !== undefined && own(dm).length === 2);
  const said = own(dm).find(({ flags }) => flags === 64);
  expect([chosen.answered, said?.text]).toEqual([4, "`/persona nobody`"]);
  expect(own(dm).find(({ flags }) => flags !== 64)?.text).toContain("nobody");
  const there = discord.command(anna, club, "whoami");
  await discord.until(() => there.answered !== undefined && own(club).length === 2);
  await first.end();
  // What was behind the cursor is told again, as after a crash.
  const second = process(place, model);
  await second.settled();
  discord.gateway.resend(1);
  discord.write(anna, dm, "/help");
  await discord.until(() => own(dm).some(({ text }) => text.includes("/restart")));
  await second.agent.idle();
  expect(own(club)).toHaveLength(2);
  expect(own(dm)).toHaveLength(3);
  expect(model.requests).toHaveLength(0);
});

test("CH74 a command that is refused says why to who chose it, and one of a server that is none of ours does nothing", async () => {
  const place = await scene({ guilds: ["123456789012345678"] });
  const { discord, anna, dm, channel } = place;
  const elsewhere = discord.channel(discord.guild("Elsewhere", anna), "general");
  await channel.commands?.(commandList(commandTexts), never);
  const running = run(channel, () => ({ status: "refused", reason: "not admitted", answer: "Pair first: ABCD." }));
  await place.until(() => place.host.told.up.length > 0);
  const ignored = discord.command(anna, elsewhere, "help");
  const refused = discord.command(anna, dm, "help");
  await discord.until(() => refused.answered === 4);
  expect(discord.shown(dm).map(({ text, flags }) => [text, flags])).toEqual([["Pair first: ABCD.", 64]]);
  expect(ignored.answered).toBeUndefined();
  expect(running.messages).toHaveLength(1);
  await running.stop();
});
