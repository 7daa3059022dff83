/** Who may what: people, the rules that were saved, reviews of servers, and the policy over them. */
import { type Agent, createPolicy } from "@margay/core";
import { openRules } from "../features/approvals/open-rules.ts";
import { serverReviews as openServerReviews } from "../features/mcp/review.ts";
import type { Engines } from "./engines.ts";
import type { Ground } from "./ground.ts";
import { openShares } from "../features/people/shares.ts";
import { openInvitations } from "../features/people/invitations.ts";
import { createInvited } from "../features/people/invited.ts";
import { createLinking, type LinkingOptions } from "../features/people/linking.ts";
import { commandIn } from "../texts/command.ts";
import { translator } from "../texts/translate.ts";
import { createPeople } from "./people.ts";
import { tokenReaders } from "../host/auth/token-readers.ts";
import { workspaceOf } from "../host/spaces.ts";
import { toolJudgement } from "./tools.ts";

export type Judgement = Awaited<ReturnType<typeof openJudgement>>;

/** @param agent Asked in a turn: it exists by then. */
export async function openJudgement(ground: Ground, { toolbox, contact }: Engines, agent: () => Agent) {
  const { options, clock, ids, log, current, audit, pairing, people: known } = ground;
  const { loaded, language, env } = options;
  const { tools, mcp } = toolbox;
  const { docs } = loaded.places;
  const serverReviews = openServerReviews({ loaded: () => current.loaded, mcp: () => mcp.current, audit });
  const rules = openRules({
    docs,
    clock,
    log,
    tools,
    changed: (name, { id, by, shown }) => audit.record(name, { rule: id, by, shown }),
    servers: () => current.loaded.config.mcpServers,
    pluginPin: toolbox.plugins.pinOf,
  });
  const accounts: Omit<LinkingOptions, "clock"> = {
    people: known,
    loaded: () => current.loaded,
    take: (next) => Object.assign(current, { loaded: next }),
    env,
    audit,
    send: (session, message) => agent().bus.send(session, message),
    nextId: () => ids.next("link"),
    log,
    t: translator(language, commandIn(env)),
  };
  const invitations = openInvitations(docs, clock);
  const people = createPeople({
    pairing,
    people: known,
    linking: createLinking({ ...accounts, clock }),
    invited: createInvited({ ...accounts, invitations, contact }),
    language,
    config: () => current.loaded.config,
    env,
    tokenReader: tokenReaders(docs),
  });
  const shares = openShares({
    docs,
    roleOf: people.members.roleOf,
    changed: (name, { of, reader }) => audit.record(name, { person: of, reader }),
    clock,
    log,
  });
  await shares.prune(); // whoever left while nothing ran
  const policy = createPolicy({
    ...toolJudgement(loaded, (state) => workspaceOf(current.loaded, state)),
    ...rules,
    rules: () => current.loaded.config.policy.rules,
    isContact: people.isContact,
    admit: people.admit,
    approvalTimeoutMs: () => agent().settings.approvalTimeoutMs,
  });
  return { serverReviews, rules, people, shares, policy };
}
