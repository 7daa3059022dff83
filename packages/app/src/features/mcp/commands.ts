/** The rows of `margay mcp` in the table of commands. */
import type { CommandSpec, OptionSpec } from "../../host/cli/command.ts";

const APPROVING: readonly OptionSpec[] = [
  { flags: "--approve-hash <hash>", about: "opt.mcp.approveHash" },
  { flags: "--full", about: "opt.mcp.full" },
];

export const MCP_COMMANDS: readonly CommandSpec[] = [
  {
    name: "mcp",
    about: "about.mcp",
    examples: [
      "margay mcp list",
      "margay mcp add files --network registry.npmjs.org --writable ~/notes -- npx -y @modelcontextprotocol/server-filesystem ~/notes",
    ],
  },
  { name: "mcp list", about: "about.mcp.list", load: async () => (await import("./command.ts")).listServers },
  {
    name: "mcp add",
    args: "<name> [command...]",
    about: "about.mcp.add",
    options: [
      { flags: "--url <url>", about: "opt.mcp.url" },
      { flags: "--env <pair>", about: "opt.mcp.env", repeat: true },
      { flags: "--header <pair>", about: "opt.mcp.header", repeat: true },
      { flags: "--tool <name>", about: "opt.mcp.tool", repeat: true },
      { flags: "--network <host>", about: "opt.mcp.network", repeat: true },
      { flags: "--writable <path>", about: "opt.mcp.writable", repeat: true },
      { flags: "--for <reader>", about: "opt.mcp.for", repeat: true },
      ...APPROVING,
    ],
    examples: [
      "margay mcp add files --network registry.npmjs.org --writable ~/notes -- npx -y @modelcontextprotocol/server-filesystem ~/notes",
      "margay mcp add tracker --url https://mcp.example.com/mcp",
      "margay mcp add forge --env 'TOKEN=${FORGE_TOKEN}' -- forge-mcp",
    ],
    load: async () => (await import("./command-edit.ts")).addServer,
  },
  {
    name: "mcp remove",
    args: "<name>",
    about: "about.mcp.remove",
    load: async () => (await import("./command-edit.ts")).removeServer,
  },
  {
    name: "mcp test",
    args: "<name>",
    about: "about.mcp.test",
    examples: ["margay mcp test files"],
    load: async () => (await import("./command.ts")).testServer,
  },
  {
    name: "mcp approve",
    args: "<name>",
    about: "about.mcp.approve",
    options: APPROVING,
    examples: ["margay mcp approve files"],
    load: async () => (await import("./command-approve.ts")).approveServer,
  },
  {
    name: "mcp accept",
    args: "<name>",
    about: "about.mcp.accept",
    options: APPROVING,
    load: async () => (await import("./command-approve.ts")).approveServer,
  },
  {
    name: "mcp login",
    args: "<name>",
    about: "about.mcp.login",
    options: [
      { flags: "--client-id <id>", about: "opt.mcp.clientId" },
      { flags: "--client-secret <variable>", about: "opt.mcp.clientSecret" },
    ],
    examples: ["margay mcp login tracker"],
    load: async () => (await import("./command.ts")).loginToServer,
  },
];
