// A chat that grew long goes on in a new one, which begins with what the old one came to.
import { callsTool, fails, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "./support.ts";

async function begin(gateway: TestGateway, text: string, body: object = {}): Promise<{ id: string; key: string }> {
  const made = await gateway.api("/sessions", {
    method: "POST",
    body: { ...body, message: { parts: [{ type: "text", text }] } },
  });
  expect(made.status).toBe(201);
  await gateway.app.agent.idle();
  return made.body as { id: string; key: string };
}

test("the new chat begins with the summary alone, is linked to the old one, and has its model and its label", async (t) => {
  const gateway = await startGateway(t, {
    config: { tools: { exec: { sandbox: "none" } }, policy: { rules: [{ tool: "exec", action: "allow" }] } },
  });
  gateway.model.replies(
    callsTool("exec", { command: "curl --version | head -1; cat /etc/hostname" }),
    says("We chose the blue one."),
  );
  const { id, key } = await begin(gateway, "which one, blue or red?");
  const { sessions } = gateway.app.agent;
  const old = (await sessions.find(key))?.state;
  gateway.model.replies(says("They chose the blue one."), says("Blue, as before."));
  const made = await gateway.api(`/sessions/${id}/summary`, { method: "POST" });
  expect([made.status, made.body.forkedFrom.session, made.body.title]).toEqual([201, id, "which one, blue or red?"]);
  expect(JSON.stringify(gateway.model.requests.at(-1)?.body)).toContain("which one, blue or red?");
  const next = (await sessions.find(made.body.key as string))?.state;
  expect(next?.label).toEqual(old?.label);
  expect(next?.messages.map(({ role }) => role)).toEqual(["notice"]);
  const sent = await gateway.api(`/sessions/${made.body.id}/messages`, {
    method: "POST",
    body: { parts: [{ type: "text", text: "and now?" }] },
  });
  expect(sent.status).toBe(202);
  await gateway.app.agent.idle();
  const asked = JSON.stringify(gateway.model.requests.at(-1)?.body);
  expect(asked).toContain("They chose the blue one.");
  expect(asked).not.toContain("which one, blue or red?");
  // What it cost is the old one's.
  expect((await gateway.api(`/sessions/${id}`)).body.usage.input).toBeGreaterThan(old?.usage?.input ?? 0);
});

test("without an answer there is no new chat; of a temporary one it is temporary", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("Well."));
  const { id } = await begin(gateway, "a secret plan", { temporary: true });
  gateway.model.replies(fails(400, { error: { message: "closed today", type: "invalid_request_error" } }));
  expect((await gateway.api(`/sessions/${id}/summary`, { method: "POST" })).status).toBeGreaterThanOrEqual(400);
  expect((await gateway.api("/sessions")).body.items).toHaveLength(1);
  gateway.model.replies(says("A plan."));
  expect((await gateway.api(`/sessions/${id}/summary`, { method: "POST" })).body.key).toMatch(/^temporary:/);
});
