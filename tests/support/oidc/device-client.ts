import { rememberSecrets } from "../gateway-process.ts";
import { type Browser, openBrowser, type Page } from "./browser.ts";

export type DeviceAnswer = { status: number; headers: Headers; body: Record<string, unknown> };
export type StartedDevice = { deviceCode: string; userCode: string; page: string };

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** A client without a browser, as Claude Code is one. `address`: where a trusted proxy says that it is. */
export function openDeviceClient(publicUrl: string, { address }: { address?: string } = {}) {
  const post = async (path: string, form: Record<string, string>): Promise<DeviceAnswer> => {
    const response = await fetch(`${publicUrl}${path}`, {
      method: "POST",
      redirect: "error",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "user-agent": "claude-code/2.1.325",
        ...(address !== undefined && { "x-forwarded-for": address }),
      },
      body: new URLSearchParams(form).toString(),
    });
    const body = (await response.json()) as Record<string, unknown>;
    rememberSecrets(
      [body["access_token"], body["refresh_token"], body["device_code"]].filter((each) => typeof each === "string"),
    );
    return { status: response.status, headers: response.headers, body };
  };
  return {
    post,
    start: async (): Promise<StartedDevice> => {
      const { body } = await post("/oauth/device_authorization", { surface: "claude_code" });
      return {
        deviceCode: String(body["device_code"]),
        userCode: String(body["user_code"]),
        page: String(body["verification_uri_complete"]),
      };
    },
    poll: ({ deviceCode }: Pick<StartedDevice, "deviceCode">): Promise<DeviceAnswer> =>
      post("/oauth/token", { grant_type: DEVICE_GRANT, device_code: deviceCode }),
    refresh: (token: unknown): Promise<DeviceAnswer> =>
      post("/oauth/token", { grant_type: "refresh_token", refresh_token: String(token) }),
    revoke: (token: unknown): Promise<DeviceAnswer> => post("/oauth/revoke", { token: String(token) }),
  };
}

/** What a person does: types the code and signs in, as far as the question. */
export async function signInWithCode(
  { page, userCode }: Pick<StartedDevice, "page" | "userCode">,
  { login, browser = openBrowser(), until }: { login: string; browser?: Browser; until?: RegExp },
): Promise<{ browser: Browser; page: Page }> {
  const atProvider = await browser.submit(await browser.visit(page), { user_code: userCode });
  // Whoever is signed in at the provider already comes straight back.
  if (!atProvider.body.includes('name="login"')) return { browser, page: atProvider };
  return { browser, page: await browser.submit(atProvider, { login, password: "any" }, until ? { until } : {}) };
}

/** And answers it. */
export async function approve(started: StartedDevice, login: string): Promise<Page> {
  const { browser, page } = await signInWithCode(started, { login });
  return browser.submit(page, { verdict: "approve" });
}
