/** Shapes of logins, tokens and browsers. */
import { z } from "zod";
import { Millis, PersonLoginSchema } from "../../protocol/common.ts";

const Scope = z.enum(["owner", "admin", "chat", "read", "metrics"]);
const Password = z.string().min(1).max(1024);
const Code = z.string().min(1).max(64);

export const AuthStateResponse = z.strictObject({
  authenticated: z.boolean(),
  /** True while the first password is to be set with the link of the terminal. */
  setup: z.boolean(),
  methods: z.array(z.enum(["code", "password"])),
  scope: z.array(Scope).optional(),
  freshUntil: Millis.optional(),
  expiresAt: Millis.optional(),
  /** The person whose login it is. Absent: the owner. */
  for: z.string().optional(),
  person: PersonLoginSchema.optional(),
  exposure: z.strictObject({ bind: z.string(), tls: z.boolean(), public: z.string().nullable() }).optional(),
});

export const CodeBody = z.strictObject({ code: Code });
export const PasswordBody = z.strictObject({ password: Password });
export const SetupBody = z.strictObject({ code: Code, password: Password });
export const ConfirmBody = z.union([PasswordBody, CodeBody]);
export const LoginResponse = z.strictObject({
  key: z.string(),
  expiresAt: Millis,
  person: PersonLoginSchema.optional(),
});
export const FreshResponse = z.strictObject({ freshUntil: Millis });
/** Only for commands on the machine of the gateway. */
export const LinkBody = z.strictObject({ kind: z.enum(["login", "confirm"]), for: z.string().max(32).optional() });
export const LinkResponse = z.strictObject({ code: z.string(), expiresAt: Millis });

export const BrowsersResponse = z.strictObject({
  items: z.array(
    z.strictObject({
      id: z.string(),
      current: z.boolean(),
      userAgent: z.string(),
      address: z.string(),
      createdAt: Millis,
      lastSeenAt: Millis,
      expiresAt: Millis,
      for: z.string().optional(),
    }),
  ),
});

export const TokenView = z.strictObject({
  id: z.string(),
  name: z.string(),
  scopes: z.array(Scope),
  createdAt: Millis,
  expiresAt: Millis.optional(),
  budgetUsdPerDay: z.number().optional(),
  /** Whom it asks for: `guest`, or a person. Absent: the owner. */
  for: z.string().optional(),
});
export const TokensResponse = z.strictObject({ items: z.array(TokenView) });
export const NewTokenBody = z.strictObject({
  name: z.string().min(1).max(100),
  scopes: z.array(Scope).min(1).max(5),
  expiresAt: Millis.optional(),
  budgetUsdPerDay: z.number().min(0).max(100_000).optional(),
  for: z.string().max(32).optional(),
});
export const NewTokenResponse = z.strictObject({ id: z.string(), token: z.string() });
export const RotateBody = z.strictObject({ graceSec: z.number().int().min(0).max(3600).default(0) });
export const RotateResponse = z.strictObject({ token: z.string() });
