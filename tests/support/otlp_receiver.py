"""A collector that takes OTLP over HTTP, decoded with OpenTelemetry's own schema. Reads one JSON line per question:
{"ask": "start"} answers with its port, {"ask": "received"} with all spans so far, {"ask": "refuse", "status": 503} with ok."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

state = {"spans": [], "requests": [], "status": 200}


def value_of(value):
    kind = value.WhichOneof("value")
    return None if kind is None else getattr(value, kind)


def attributes_of(holder):
    return {pair.key: value_of(pair.value) for pair in holder.attributes}


def spans_of(message):
    for resource_spans in message.resource_spans:
        resource = attributes_of(resource_spans.resource)
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                yield {
                    "name": span.name,
                    "kind": span.kind,
                    "traceId": span.trace_id.hex(),
                    "spanId": span.span_id.hex(),
                    "parentSpanId": span.parent_span_id.hex(),
                    "startNano": str(span.start_time_unix_nano),
                    "endNano": str(span.end_time_unix_nano),
                    "status": span.status.code,
                    "events": [event.name for event in span.events],
                    "attributes": attributes_of(span),
                    "scope": scope_spans.scope.name,
                    "resource": resource,
                }


class Collector(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.read_body()
        message = ExportTraceServiceRequest()
        message.ParseFromString(body)
        state["requests"].append(
            {
                "path": self.path,
                "type": self.headers.get("content-type"),
                "authorization": self.headers.get("authorization"),
            }
        )
        status = state["status"]
        if status == 200:
            state["spans"].extend(spans_of(message))
        answer = ExportTraceServiceResponse().SerializeToString() if status == 200 else b""
        self.send_response(status)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def read_body(self):
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", "0")))
        chunks = []
        while size := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()

for line in sys.stdin:
    question = json.loads(line)
    if question["ask"] == "start":
        answer = {"port": server.server_address[1]}
    elif question["ask"] == "refuse":
        state["status"] = question["status"]
        answer = {"ok": True}
    else:
        answer = {"spans": state["spans"], "requests": state["requests"]}
    print(json.dumps(answer, default=str), flush=True)
