/** What a browser does of which a sign-in depends: it keeps cookies, follows redirects and sends forms. */
export type Browser = {
  cookies: Map<string, string>;
  /** Follows redirects, and stops before one whose address `until` matches. */
  visit: (url: string, options?: { until?: RegExp }) => Promise<Page>;
  /** `origin`: the site whose page has the form, unless it is the one that gets it. */
  submit: (page: Page, fields: Record<string, string>, options?: { until?: RegExp; origin?: string }) => Promise<Page>;
};

export type Page = {
  url: string;
  status: number;
  headers: Headers;
  body: string;
  /** Where it would have gone next, if it was told to stop before it. */
  next: string | null;
  /** Every address on the way. */
  way: string[];
};

const MOST_REDIRECTS = 12;

export function openBrowser(): Browser {
  // By host and path, as browsers keep them: a port makes no difference.
  const cookies = new Map<string, string>();

  const keep = (url: URL, lines: readonly string[]): void => {
    for (const line of lines) {
      const [pair = "", ...attributes] = line.split(/; */);
      const [name = "", ...value] = pair.split("=");
      const path = /^path=(.*)$/i.exec(attributes.find((each) => /^path=/i.test(each)) ?? "")?.[1] ?? "/";
      const isGone = attributes.some((each) => /^(max-age=0|expires=Thu, 01 Jan 1970.*)$/i.test(each)) || !value.join();
      const key = `${url.hostname}${path} ${name}`;
      if (isGone) cookies.delete(key);
      else cookies.set(key, value.join("="));
    }
  };
  const cookiesFor = (url: URL): string =>
    [...cookies]
      .map(([key, value]) => ({ place: key.split(" ")[0] ?? "", name: key.split(" ")[1] ?? "", value }))
      .filter(({ place }) => `${url.hostname}${url.pathname}`.startsWith(place))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");

  type Going = { form?: string; until?: RegExp | undefined; origin?: string | undefined };
  async function go(first: string, { form, until, origin }: Going): Promise<Page> {
    let [url, body] = [new URL(first), form];
    const way: string[] = [];
    for (let turn = 0; turn < MOST_REDIRECTS; turn++) {
      way.push(url.href);
      const response = await fetch(url, {
        method: body === undefined ? "GET" : "POST",
        redirect: "manual",
        headers: {
          accept: "text/html",
          cookie: cookiesFor(url),
          ...(body !== undefined && {
            "content-type": "application/x-www-form-urlencoded",
            origin: origin ?? url.origin,
          }),
        },
        ...(body !== undefined && { body }),
      });
      keep(url, response.headers.getSetCookie());
      const location = response.headers.get("location");
      const text = await response.text();
      const to = location === null ? null : new URL(location, url);
      const page = { url: url.href, status: response.status, headers: response.headers, body: text, way };
      if (to === null) return { ...page, next: null };
      if (until?.test(to.href)) return { ...page, next: to.href };
      [url, body] = [to, undefined];
    }
    throw new Error(`more than ${MOST_REDIRECTS} redirects: ${way.join(" ")}`);
  }

  return {
    cookies,
    visit: (url, options = {}) => go(url, options),
    submit: (page, fields, options = {}) => {
      const action = /<form[^>]*action="([^"]+)"/.exec(page.body)?.[1];
      if (action === undefined) throw new Error(`no form on ${page.url}: ${page.status} ${page.body.slice(0, 300)}`);
      const hidden = [...page.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
        ([, name = "", value = ""]) => [name, value] as const,
      );
      const form = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields }).toString();
      return go(new URL(action.replaceAll("&amp;", "&"), page.url).href, { ...options, form });
    },
  };
}
/** Signs somebody in, as they would: their name and a password on the provider's page. */
export async function signIn(
  browser: Browser,
  { adminUrl, login, returnTo, until }: { adminUrl: string; login: string; returnTo?: string; until?: RegExp },
): Promise<Page> {
  const query = returnTo === undefined ? "" : `?${new URLSearchParams({ return_to: returnTo }).toString()}`;
  const form = await browser.visit(`${adminUrl}/admin/v1/sign-in/oidc${query}`);
  return browser.submit(form, { login, password: "any" }, until ? { until } : {});
}
