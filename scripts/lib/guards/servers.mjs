// What MCP servers say of themselves, until a person approved it.

const REVIEW = "packages/app/test/mcp/review.test.ts";
const CHAT = "packages/app/test/mcp/chat.test.ts";
const PINS = "packages/app/src/features/mcp/client/pins.ts";

export const SERVER_GUARDS = [
  {
    id: "servers: the first sight of one is nobody's approval",
    file: PINS,
    find: 'if (approved === undefined) return "unapproved";',
    replace: 'if (approved === undefined) return "approved";',
    tests: [REVIEW, "packages/app/test/security/first-contact.test.ts"],
  },
  {
    id: "servers: another command or address is another server",
    file: PINS,
    find: "return pin?.source === sourceOf(config) ? pin : undefined;",
    replace: "return pin;",
    tests: ["packages/app/test/mcp/changed.test.ts"],
  },
  {
    id: "servers: the tools of one that waits are in no list and under no name",
    file: "packages/app/src/features/mcp/client/offered.ts",
    find: 'running.tools = standing === "approved" ? enabled : [];',
    replace: "running.tools = enabled;",
    tests: [REVIEW],
  },
  {
    id: "servers: instructions are part of what is approved",
    file: "packages/app/src/features/mcp/client/manifest.ts",
    find: "return sha256(stable([hashes, instructions]));",
    replace: "return sha256(stable([hashes]));",
    tests: [REVIEW],
  },
  {
    id: "servers: a script's yes is for the hash it names",
    file: "packages/app/src/features/mcp/command-approve.ts",
    find: "if (wanted !== undefined && wanted !== review.hash) {",
    replace: "if (false) {",
    tests: ["packages/app/test/mcp/first-look.test.ts"],
  },
  {
    id: "servers: only an operator says yes in a chat",
    file: "packages/core/src/control/commands.ts",
    find: "actions.mayApprove(by, origin) ? serverCommand(",
    replace: "by !== undefined ? serverCommand(",
    tests: [CHAT],
  },
  {
    id: "servers: a yes in a chat is for what that chat was shown",
    file: "packages/core/src/control/server-command.ts",
    find: "shown?.startsWith(code) === true && code.length >= CODE_CHARS",
    replace: "shown !== undefined",
    tests: [CHAT],
  },
  {
    id: "servers: a text in a chat cannot end its fence",
    file: "packages/core/src/lib/text.ts",
    find: '"`".repeat(Math.max(3, longestRun(text) + 1))',
    replace: '"`".repeat(3)',
    tests: [CHAT],
  },
  {
    id: "servers: a write that must fail is refused before the question",
    file: "packages/core/src/tools/prepare.ts",
    find: "const why = tool.unable?.(result.input as never);",
    replace: "const why = undefined as string | undefined;",
    tests: ["packages/core/test/tools/unable.test.ts", "packages/app/test/mcp/writable.test.ts"],
  },
];
