/** What a clone says at /console before the console is built. Packages carry it built. */
export const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>The console is not built</title></head>
<body>
<h1>The console is not built</h1>
<p>This gateway runs from a clone of the repository, which does not contain the built console. Build it, then restart the gateway:</p>
<pre>npm run console</pre>
<p>Everything the console does can also be done with the <code>tollgate</code> command and the <a href="/docs">API</a>.</p>
</body>
</html>
`;
