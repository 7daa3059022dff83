// PE5: who may invite, whom, and the command beside a gateway.
import { expect, test } from "vitest";
import { operations } from "./operations.ts";
import { startGateway } from "./support.ts";

const config = { people: { eva: { name: "Eva" }, bob: { role: "operator" } } } as const;

test("PE5 only the owner invites, and only a member", async (t) => {
  const gateway = await startGateway(t, { config });
  const operate = operations(gateway);
  for (const scope of ["read", "chat", "admin"] as const)
    expect((await operate("invitePerson", { params: { person: "eva" }, token: gateway.token(scope) })).status).toBe(
      403,
    );
  expect((await operate("invitePerson", { params: { person: "bob" } })).body.code).toBe("request.invalid");
  for (const person of ["owner", "nobody", "constructor"])
    expect((await operate("invitePerson", { params: { person } })).body.code).toBe("request.not-found");
  const { body } = await operate("invitePerson", { params: { person: "eva" } });
  expect(body).toEqual({
    code: expect.stringMatching(/^[A-HJ-NP-Z2-9]{8}$/),
    expiresAt: expect.any(Number),
    links: [],
  });
  expect(body.expiresAt - Date.now()).toBeGreaterThan(86_300_000);
  expect(body.expiresAt - Date.now()).toBeLessThanOrEqual(86_400_000);
});
