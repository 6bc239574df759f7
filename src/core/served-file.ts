/** What a browser says of a file that it asks for. */
export type AskedFile = {
  /** Below the place where the files are served, without a query and as it was written: `assets/index-BYUC4rQR.js`. */
  path: string;
  acceptEncoding: string | undefined;
  ifNoneMatch: string | undefined;
};

/** The answer to it. 404: there is no such file. 503: nothing is built. */
export type ServedFile = { status: 200 | 304 | 404 | 503; headers: Record<string, string>; body: Buffer };

export type ServeFile = (asked: AskedFile) => ServedFile;
