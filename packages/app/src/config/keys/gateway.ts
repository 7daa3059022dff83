/** Keys of the HTTP server. No profile sets any of them. */
import type { Key } from "../key.ts";

export const GATEWAY_KEYS = [
  {
    path: "gateway.host",
    kind: { is: "host" },
    default: "127.0.0.1",
    restart: true,
  },
  {
    path: "gateway.port",
    kind: { is: "integer", min: 0, max: 65_535 },
    default: 18_790,
    restart: true,
  },
  {
    path: "gateway.publicUrl",
    kind: { is: "either", of: [{ is: "nothing" }, { is: "origin" }] },
    default: null,
  },
  {
    path: "gateway.seedView",
    kind: { is: "boolean" },
    default: true,
  },
  {
    path: "gateway.allowedHosts",
    kind: { is: "list", of: { is: "host" } },
    default: [],
  },
  {
    path: "gateway.allowedOrigins",
    kind: { is: "list", of: { is: "origin" } },
    default: [],
  },
  {
    path: "gateway.tls",
    kind: {
      is: "either",
      of: [
        { is: "nothing" },
        { is: "object", fields: { cert: { is: "path" }, key: { is: "path" } }, required: ["cert", "key"] },
      ],
    },
    default: null,
    restart: true,
  },
  {
    path: "gateway.allowPlainHttp",
    kind: { is: "boolean" },
    default: false,
    restart: true,
  },
  {
    path: "gateway.token",
    kind: { is: "text" },
    secret: true,
    restart: true,
  },
  {
    path: "gateway.trustedProxies",
    kind: { is: "list", of: { is: "network" } },
    default: [],
  },
  {
    path: "gateway.proxyAuth",
    kind: {
      is: "either",
      of: [
        { is: "nothing" },
        {
          is: "object",
          fields: {
            peers: { is: "list", of: { is: "network" } },
            header: { is: "text" },
            users: {
              is: "list",
              of: {
                is: "either",
                of: [
                  { is: "text" },
                  {
                    is: "object",
                    fields: { value: { is: "text" }, person: { is: "text" } },
                    required: ["value", "person"],
                  },
                ],
              },
            },
          },
          required: ["peers", "header", "users"],
        },
      ],
    },
    default: null,
  },
  {
    path: "gateway.auth.idleMs",
    kind: { is: "either", of: [{ is: "nothing" }, { is: "integer", min: 60_000, max: 31_536_000_000 }] },
    default: null,
  },
  {
    path: "gateway.auth.maxMs",
    kind: { is: "either", of: [{ is: "nothing" }, { is: "integer", min: 60_000, max: 31_536_000_000 }] },
    default: null,
  },
  {
    path: "gateway.auth.passwordFile",
    kind: { is: "either", of: [{ is: "nothing" }, { is: "path" }] },
    default: null,
    restart: true,
  },
  {
    path: "gateway.shutdownMs",
    kind: { is: "integer", min: 0, max: 15_000 },
    default: 15_000,
  },
  {
    path: "gateway.limits.bodyBytes",
    kind: { is: "integer", min: 1024, max: 104_857_600 },
    default: 1_048_576,
    restart: true,
  },
  {
    path: "gateway.limits.apiBodyBytes",
    kind: { is: "integer", min: 1024, max: 104_857_600 },
    default: 10_485_760,
    restart: true,
  },
  {
    path: "gateway.limits.uploadBytes",
    kind: { is: "integer", min: 1024, max: 1_073_741_824 },
    default: 26_214_400,
    restart: true,
  },
  {
    path: "gateway.limits.connections",
    kind: { is: "integer", min: 1, max: 65_535 },
    default: 512,
    restart: true,
  },
  {
    path: "gateway.limits.sockets",
    kind: { is: "integer", min: 1, max: 10_000 },
    default: 64,
    restart: true,
  },
  {
    path: "gateway.limits.socketsPerCredential",
    kind: { is: "integer", min: 1, max: 10_000 },
    default: 16,
    restart: true,
  },
  {
    path: "gateway.limits.streams",
    kind: { is: "integer", min: 1, max: 10_000 },
    default: 64,
    restart: true,
  },
  {
    path: "gateway.limits.requestsPerMinute",
    kind: { is: "integer", min: 1, max: 1_000_000 },
    default: 600,
  },
  {
    path: "gateway.limits.sendsPerMinute",
    kind: { is: "integer", min: 1, max: 1_000_000 },
    default: 60,
  },
  {
    path: "gateway.limits.anonymousPerMinute",
    kind: { is: "integer", min: 1, max: 1_000_000 },
    default: 60,
  },
  {
    path: "gateway.api.userSession",
    kind: { is: "choice", of: ["match", "continue"] },
    default: "match",
  },
  {
    path: "gateway.api.ephemeralHours",
    kind: { is: "integer", min: 1, max: 8760 },
    default: 24,
  },
  {
    path: "gateway.api.clientTools",
    kind: { is: "boolean" },
    default: true,
  },
  {
    path: "gateway.api.text",
    kind: { is: "choice", of: ["all", "final"] },
    default: "all",
  },
  {
    path: "gateway.api.reasoning",
    kind: { is: "boolean" },
    default: false,
  },
  {
    path: "gateway.api.corsOrigins",
    kind: { is: "list", of: { is: "origin" } },
    default: [],
  },
] as const satisfies readonly Key[];
