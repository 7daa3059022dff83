// What pages and answers tell of what another person said.

const HOOKS = ["packages/app/test/gateway/hook-readers.test.ts"];
const ROLES = ["packages/app/test/channels/roles.test.ts"];
const PRIVACY = ["packages/app/test/gateway/privacy.test.ts"];

export const PRIVACY_GUARDS = [
  {
    id: "privacy: the door of all routes",
    file: "packages/app/src/host/sessions/access.ts",
    find: "if (!hidden) requireOwn(caller, summary);",
    replace: "",
    tests: PRIVACY,
  },
  {
    id: "privacy: lists",
    file: "packages/app/src/host/sessions/detail.ts",
    find: 'preview: isHidden ? "" : summary.preview,',
    replace: "preview: summary.preview,",
    tests: PRIVACY,
  },
  {
    id: "privacy: calls of all conversations",
    file: "packages/app/src/features/tools/call-routes.ts",
    find: "!isHidden(call.session) &&",
    replace: "",
    tests: PRIVACY,
  },
  {
    id: "privacy: tasks",
    file: "packages/app/src/features/tasks/routes.ts",
    find: 'task: isHidden ? "" : turn.task,',
    replace: "task: turn.task,",
    tests: PRIVACY,
  },
  {
    id: "privacy: replies that wait",
    file: "packages/app/src/features/channels/actions.ts",
    find: 'return isHidden ? { ...entry, text: "" } : entry;',
    replace: "return entry;",
    tests: PRIVACY,
  },
  {
    id: "privacy: jobs",
    file: "packages/app/src/features/cron/job-view.ts",
    find: 'isPerson(by) && by !== personOf(caller) ? { name: undefined, message: "" } : job',
    replace: "job",
    tests: PRIVACY,
  },
  {
    id: "privacy: the audit log",
    file: "packages/core/src/audit/audit.ts",
    find: 'fold.isPrivate && fact.kind !== "event"',
    replace: "false",
    tests: PRIVACY,
  },
  {
    id: "privacy: a proof",
    file: "packages/app/src/features/sessions/open-private.ts",
    find: "requireOwner(call, TEXT.readPrivate);",
    replace: "",
    tests: PRIVACY,
  },
  {
    id: "privacy: for who opened it",
    file: "packages/app/src/host/sessions/privacy.ts",
    find: '!services.once(createOpenings).isOpen(credential?.id ?? "", summary.id)',
    replace: '!services.once(createOpenings).isOpen("", summary.id)',
    tests: PRIVACY,
  },
  {
    id: "privacy: who follows already",
    file: "packages/app/src/host/live/follow.ts",
    find: "    follower.deps.requireOwn();",
    replace: "",
    tests: PRIVACY,
  },
  {
    id: "privacy: who follows already, over the frames of the seeds",
    file: "packages/app/src/features/seed-protocol/socket.ts",
    find: "    try {\n      requireOwn(caller, summary);",
    replace: "    try {",
    tests: PRIVACY,
  },
  {
    id: "privacy: who begins to follow over the frames of the seeds",
    file: "packages/app/src/features/seed-protocol/socket.ts",
    find: "outlet.closed) return;\n  requireOwn(caller, summary);",
    replace: "outlet.closed) return;",
    tests: PRIVACY,
  },
  {
    id: "hooks: who reads the chats that an answer goes to",
    file: "packages/app/src/features/hooks/readers.ts",
    find: '(await audienceAt(to)) ?? "owner") === audience',
    replace: "audience) === audience",
    tests: HOOKS,
  },
  {
    id: "hooks: in whose room",
    file: "packages/app/src/features/hooks/receive.ts",
    find: "...(hasOwn(hook) && { audience, agent: hook.agent ?? null }),",
    replace: "",
    tests: HOOKS,
  },
  {
    id: "hooks: whom an answer was made for",
    file: "packages/app/src/compose/channels.ts",
    find: "thread ?? (await readerOf(hook, sources))",
    replace: "await readerOf(hook, sources)",
    tests: HOOKS,
  },
  {
    id: "roles: commands by the role",
    file: "packages/app/src/compose/rooms/room-parts.ts",
    find: "if (!BY_ROLE.has(name)) return true;",
    replace: "return true;",
    tests: ROLES,
  },
  {
    id: "roles: confined or none",
    file: "packages/app/src/compose/toolbox.ts",
    find: 'if (mode !== "required") return () => undefined;',
    replace: "",
    tests: ROLES,
  },
  {
    id: "roles: git without the operator",
    file: "packages/app/src/compose/toolbox.ts",
    find: "anonymous: true",
    replace: "anonymous: false",
    tests: ROLES,
  },
];
