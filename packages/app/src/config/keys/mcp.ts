/** Keys of MCP servers. */
import type { Key } from "../kinds.ts";

export const MCP_KEYS: readonly Key[] = [
  {
    path: "mcpServers.*.command",
    kind: { is: "text" },
    en: "Program of a server that speaks over stdio.",
    zh: "通过标准输入输出通信的服务器程序。",
  },
  {
    path: "mcpServers.*.args",
    kind: { is: "list", of: { is: "text" } },
    en: "Its arguments.",
    zh: "其参数。",
  },
  {
    path: "mcpServers.*.env",
    kind: { is: "map", of: { is: "text" } },
    secret: true,
    en: "Its environment; secrets as `${VAR}`.",
    zh: "其环境变量；密钥写 `${VAR}`。",
  },
  {
    path: "mcpServers.*.url",
    kind: { is: "url" },
    en: "Address of a server that speaks HTTP.",
    zh: "通过 HTTP 通信的服务器地址。",
  },
  {
    path: "mcpServers.*.headers",
    kind: { is: "map", of: { is: "text" } },
    secret: true,
    en: "Headers sent to it.",
    zh: "发送给它的请求头。",
  },
  {
    path: "mcpServers.*.enabledTools",
    kind: { is: "list", of: { is: "text" } },
    default: ["*"],
    en: "Its tools that are offered.",
    zh: "提供其中哪些工具。",
  },
  {
    path: "mcpServers.*.disabled",
    kind: { is: "boolean" },
    default: false,
    en: "Do not connect to it.",
    zh: "不连接该服务器。",
  },
  {
    path: "mcpServers.*.sandbox",
    kind: { is: "boolean" },
    default: true,
    en: "`false`: its program runs with all your rights instead of in the sandbox.",
    zh: "`false`：其程序不在沙箱中运行，拥有您的全部权限。",
  },
  {
    path: "mcpServers.*.network",
    kind: { is: "list", of: { is: "destination" }, max: 200 },
    default: [],
    en: "Hosts its program may reach from the sandbox, as in `tools.exec.network`.",
    zh: "其程序在沙箱中可访问的主机，写法同 `tools.exec.network`。",
  },
  {
    path: "mcpServers.*.writable",
    kind: { is: "list", of: { is: "path" }, max: 100 },
    default: [],
    en: "Folders its program may change; what its arguments name it only reads.",
    zh: "其程序可以修改的目录；参数中的路径只读。",
  },
  {
    path: "mcp.connectTimeoutSeconds",
    kind: { is: "integer", min: 1, max: 300 },
    default: 10,
    restart: true,
    en: "How long the first turn waits for servers.",
    zh: "首轮等待服务器连接的时间（秒）。",
  },
  {
    path: "mcp.callTimeoutSeconds",
    kind: { is: "integer", min: 1, max: 300 },
    default: 30,
    restart: true,
    en: "Longest call of a server's tool.",
    zh: "调用服务器工具的最长时间（秒）。",
  },
];
