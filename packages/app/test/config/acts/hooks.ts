// Keys of webhooks that come in.
import { createHmac } from "node:crypto";
import type { JsonObject } from "@margay/core";
import { says } from "@margay/core/testing";
import type { ApiAnswer } from "../../gateway/support.ts";
import { happens, type Probe, type Probes, type World } from "./probe.ts";

const SECRETS = ["5f1c0a9e7b3d4826a1f0c9e8d7b6a594", "6a1c0a9e7b3d4826a1f0c9e8d7b6a594"] as const;
const BODY = '{"action":"opened"}';

/** As GitHub signs. */
function call({ api }: World, id: string, secret: string = SECRETS[0]): Promise<ApiAnswer> {
  const headers = {
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(BODY).digest("hex")}`,
    "x-github-delivery": id,
    "x-github-event": "issues",
  };
  return api("/!/hooks/ci", { method: "POST", raw: BODY, headers, token: null });
}

async function asked(world: World): Promise<string> {
  await call(world, "one");
  await world.model.received(1);
  return world.model.requests[0]?.raw ?? "";
}

const hook = (
  key: string,
  values: Probe["values"],
  see: Probe["see"],
  saw: Probe["saw"],
  more: JsonObject = {},
): Probes => ({
  [`gateway.hooks.*.${key}`]: {
    at: `gateway.hooks.ci.${key}`,
    values,
    config: ({ webUrl }) => ({
      gateway: { hooks: { ci: { scheme: "github", secret: SECRETS[0] } } },
      channels: { webhook: { enabled: true, secret: "webhook-secret", options: { url: webUrl, port: 0 } } },
      ...more,
    }),
    see,
    saw,
  },
});

export const HOOKS: Probes = {
  ...hook("scheme", ["github", "slack"], async (world) => (await call(world, "one")).status, [202, 401]),
  ...hook("secret", SECRETS, async (world) => (await call(world, "one")).status, [202, 401]),
  ...hook(
    "session",
    ["own", "fresh"],
    async (world) => {
      await call(world, "one");
      await call(world, "two");
      await world.app.agent.idle();
      return (await world.app.agent.sessions.list()).filter(({ key }) => key.startsWith("hook:ci")).length;
    },
    [1, 2],
  ),
  ...hook(
    "prompt",
    ["{{body}}", "It was {{header.x-github-event}}."],
    async (world) => (await asked(world)).includes("It was ‹issues›."),
    [false, true],
  ),
  ...hook(
    "deliver",
    [[], ["webhook:ops"]],
    async (world) => {
      world.model.replies(says("The build is red."));
      await call(world, "one");
      return happens(world.web.said((bodies) => bodies.some((body) => body.includes("The build is red."))));
    },
    [false, true],
  ),
  ...hook(
    "filter",
    ['json.action == "opened"', 'json.action == "closed"'],
    async (world) => {
      await call(world, "one");
      return happens(world.model.received(1));
    },
    [true, false],
  ),
  ...hook(
    "budgetUsdPerDay",
    [100, 0],
    async (world) => {
      await call(world, "one");
      return happens(world.model.received(1));
    },
    [true, false],
  ),
  ...hook(
    "agent",
    ["small", undefined],
    async (world) => (await asked(world)).includes('"name":"list_dir"'),
    [false, true],
    {
      agents: { small: { tools: ["read_file"] } },
    },
  ),
};
