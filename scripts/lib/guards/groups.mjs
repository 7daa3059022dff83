// What is read, answered and kept in groups, and by whom.

const JOBS = ["packages/app/test/channels/person-jobs.test.ts"];
const ROOM = "packages/app/src/compose/rooms/rooms.ts";
const GROUPS = ["packages/app/test/channels/groups.test.ts"];
const GATES = ["packages/core/test/people/gate.test.ts"];
const NAMED = ["packages/core/test/people/names.test.ts"];
const GATE = "packages/core/src/people/gate.ts";
const NAMES = "packages/core/src/people/names.ts";
const INBOX = "packages/core/src/loop/inbox.ts";

export const GROUP_GUARDS = [
  {
    id: "groups: a name that comes after the message is given to nobody else",
    file: "packages/core/src/session/reduce.ts",
    find: "changed(renamed(state, message), message.id",
    replace: "changed(state, message.id",
    tests: ["packages/core/test/channels/names/naming.test.ts"],
  },
  {
    id: "groups: a name that comes after the message is a stranger's word",
    file: "packages/core/src/channels/names/words.ts",
    find: "const line = neutral(name)",
    replace: "const line = name",
    tests: ["packages/core/test/channels/names/naming.test.ts"],
  },
  {
    id: "groups: what is not for us is not asked",
    file: INBOX,
    find: '(await groups?.gate(message, admitted.ok)) ?? "answer"',
    replace: '"answer"',
    tests: GROUPS,
  },
  {
    id: "groups: who is not admitted is only heard",
    file: GATE,
    find: "|| !facts.isAdmitted",
    replace: "",
    tests: [...GROUPS, ...GATES],
  },
  {
    id: "groups: nobody called us here",
    file: GATE,
    find: 'if (manners === undefined || manners.mode === "off")',
    replace: "if (manners === undefined || false)",
    tests: GATES,
  },
  {
    id: "groups: who may call us in",
    file: GATE,
    find: 'facts.role === "operator" && ageMs',
    replace: "ageMs",
    tests: [...GROUPS, ...GATES],
  },
  { id: "groups: two bots", file: GATE, find: "&& bots < MAX_BOTS", replace: "", tests: [...GROUPS, ...GATES] },
  {
    id: "groups: old commands",
    file: GATE,
    find: 'ageMs > LATE_MS) return "late";',
    replace: 'false) return "late";',
    tests: [...GROUPS, ...GATES],
  },
  {
    id: "groups: who finds what was heard",
    file: "packages/core/src/people/heard.ts",
    find: '{ type: "audience.set", audience: groupOf(origin) }',
    replace: '{ type: "audience.set", audience: "guest" }',
    tests: GROUPS,
  },
  {
    id: "groups: a line is given once",
    file: "packages/core/src/session/reduce.ts",
    find: "heardTo: heard.last",
    replace: "",
    tests: GROUPS,
  },
  {
    id: "groups: a name is one person's",
    file: NAMES,
    find: "!taken.has(folded(unique))",
    replace: "true",
    tests: NAMED,
  },
  {
    id: "groups: a guest is called one",
    file: NAMES,
    find: '"bot " : "guest "',
    replace: '"bot " : ""',
    tests: [...NAMED, ...GROUPS],
  },
  {
    id: "groups: a line that claims to be somebody else's",
    file: NAMES,
    find: 'text.replaceAll(/\\n(?=\\s*\\[)/g, "\\n  ")',
    replace: "text",
    tests: [...NAMED, ...GROUPS],
  },
  {
    id: "groups: brackets in a name",
    file: NAMES,
    find: ".replaceAll(/[[\\]\\p{Cc}\\p{Zl}\\p{Zp}]/gu",
    replace: ".replaceAll(/\\n/gu",
    tests: NAMED,
  },
  {
    id: "groups: their tools",
    file: ROOM,
    find: "OF_GROUPS.has(name)",
    replace: "true",
    tests: GROUPS,
  },
  {
    id: "groups: their prompt",
    file: "packages/app/src/compose/contexts.ts",
    find: "workspace: own, readFile: readTextFile(space), tools: () => some.list() }),\n      ),",
    replace: "workspace: own, tools: () => some.list() }),\n      ),",
    tests: GROUPS,
  },
  {
    id: "groups: commands",
    file: "packages/core/src/control/who-may.ts",
    find: "if (isGroup(audience)) return IN_GROUPS[role].has(name);",
    replace: "",
    tests: GROUPS,
  },
  {
    id: "groups: whose turn a guest ends",
    file: "packages/core/src/control/who-may.ts",
    find: "return opening?.role",
    replace: "return true || opening?.role",
    tests: GROUPS,
  },
  {
    id: "groups: no question is asked there",
    file: "packages/core/src/loop/questions/call-questions.ts",
    find: "turn.attended && turn.speaker === undefined",
    replace: "turn.attended",
    tests: ["packages/core/test/people/asked-calls.test.ts"],
  },
  {
    id: "groups: strangers' text stays out where it stays out of what nobody attends",
    file: "packages/core/src/loop/tool-result.ts",
    find: "!attended || speaker !== undefined",
    replace: "!attended",
    tests: ["packages/core/test/people/asked-calls.test.ts"],
  },
  {
    id: "groups: no progress",
    file: "packages/core/src/channels/progress.ts",
    find: "|| (audience !== undefined && isGroup(audience))",
    replace: "",
    tests: GROUPS,
  },
  {
    id: "groups: faults",
    file: "packages/core/src/loop/endings.ts",
    find: "const isSaid = errorAt !== undefined &&",
    replace: "const isSaid = false && errorAt !== undefined &&",
    tests: GROUPS,
  },
  {
    id: "groups: who pays",
    file: "packages/core/src/session/spending.ts",
    find: "return audience !== undefined && isGroup(audience) ? speaker : audience;",
    replace: "return audience;",
    tests: GROUPS,
  },
  {
    id: "groups: a job of the owner for one",
    file: "packages/app/src/host/readers.ts",
    find: "if (groups.manners(to) !== undefined)",
    replace: "if (false)",
    tests: JOBS,
  },
];
