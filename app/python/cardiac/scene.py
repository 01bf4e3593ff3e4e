"""A rotating surface in a page: V of some frames in WebGL, without other files or packages."""

from __future__ import annotations

import base64
import json
from typing import Sequence, Tuple

import numpy as np

from .result import Array, Result

NODES = 150000  # a larger surface would make a page of tens of megabytes
FRAMES, BYTES = 40, 4000000  # at most so many frames, and values of V
STEPS = 65535  # of a coordinate, over the longest side

# Drag to turn, the wheel or two fingers to zoom; the slider and the button choose the frame. Without WebGL the place stays empty and
# hidden.
SCRIPT = """
(function () {
const box = document.getElementById("scene"), data = JSON.parse(document.getElementById("scene-data").textContent);
const canvas = box.querySelector("canvas"), slider = box.querySelector("input"), clock = box.querySelector("span");
const button = box.querySelector("button"), gl = canvas.getContext("webgl", {antialias: true, preserveDrawingBuffer: true});
if (!gl) { box.hidden = true; return; }
gl.getExtension("OES_element_index_uint");
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
const part = (kind, text) => { const s = gl.createShader(kind); gl.shaderSource(s, text); gl.compileShader(s); return s; };
const program = gl.createProgram();
gl.attachShader(program, part(gl.VERTEX_SHADER, `attribute vec3 point, normal; attribute float value; uniform mat3 turn; uniform vec2 scale;
  uniform vec3 middle; varying float level, light;
  void main() { vec3 p = turn * (point - middle); level = value; light = 0.62 + 0.38 * abs((turn * normal).z);
    gl_Position = vec4(p.x * scale.x, p.y * scale.y, -0.5 * p.z, 1.0); }`));
gl.attachShader(program, part(gl.FRAGMENT_SHADER, `precision mediump float; uniform sampler2D colors; varying float level, light;
  void main() { gl_FragColor = vec4(texture2D(colors, vec2(level, 0.5)).rgb * light, 1.0); }`));
gl.linkProgram(program); gl.useProgram(program);
const fill = (target, values, use) => { const b = gl.createBuffer(); gl.bindBuffer(target, b); gl.bufferData(target, values, use); return b; };
const attribute = (name, size, type, normalized) => { const at = gl.getAttribLocation(program, name); gl.enableVertexAttribArray(at);
  gl.vertexAttribPointer(at, size, type, normalized, 0, 0); };
fill(gl.ARRAY_BUFFER, new Uint16Array(bytes(data.points)), gl.STATIC_DRAW); attribute("point", 3, gl.UNSIGNED_SHORT, true);
fill(gl.ARRAY_BUFFER, new Int8Array(bytes(data.normals)), gl.STATIC_DRAW); attribute("normal", 3, gl.BYTE, true);
const faces = new Uint32Array(bytes(data.faces)), values = new Uint8Array(bytes(data.values)), nodes = data.nodes;
fill(gl.ELEMENT_ARRAY_BUFFER, faces, gl.STATIC_DRAW);
const frames = data.times.length, level = fill(gl.ARRAY_BUFFER, values.subarray(0, nodes), gl.DYNAMIC_DRAW);
attribute("value", 1, gl.UNSIGNED_BYTE, true);
gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB, 256, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, new Uint8Array(bytes(data.colors)));
for (const [key, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
  gl.texParameteri(gl.TEXTURE_2D, key, value);
gl.enable(gl.DEPTH_TEST); gl.clearColor(1, 1, 1, 1);
let azimuth = data.view[0], elevation = data.view[1], zoom = 1, timer = 0;
function draw() {
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth * ratio, h = canvas.clientHeight * ratio;
  if (canvas.width != w || canvas.height != h) { canvas.width = w; canvas.height = h; gl.viewport(0, 0, w, h); }
  const a = azimuth * Math.PI / 180, e = elevation * Math.PI / 180, ca = Math.cos(a), sa = Math.sin(a), ce = Math.cos(e), se = Math.sin(e);
  const at = name => gl.getUniformLocation(program, name), wide = 1.9 * zoom / data.reach;
  gl.uniformMatrix3fv(at("turn"), false, [-sa, -se * ca, ce * ca, ca, -se * sa, ce * sa, 0, ce, se]);
  gl.uniform2f(at("scale"), wide * Math.min(1, h / w), wide * Math.min(1, w / h)); gl.uniform3fv(at("middle"), data.middle);
  const k = +slider.value; gl.bindBuffer(gl.ARRAY_BUFFER, level);
  gl.bufferSubData(gl.ARRAY_BUFFER, 0, values.subarray(k * nodes, (k + 1) * nodes));
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT); gl.drawElements(gl.TRIANGLES, faces.length, gl.UNSIGNED_INT, 0);
  clock.textContent = data.times[k] + " ms";
}
const zoomBy = factor => { zoom = Math.max(1, Math.min(20, zoom * factor)); draw(); };
const fingers = new Map(), apart = () => { const [p, q] = [...fingers.values()]; return Math.hypot(p.x - q.x, p.y - q.y); };
canvas.onpointerdown = m => { canvas.setPointerCapture(m.pointerId); fingers.set(m.pointerId, m); };
canvas.onpointerup = canvas.onpointercancel = m => fingers.delete(m.pointerId);
canvas.onpointermove = m => {
  if (!fingers.has(m.pointerId)) return;
  const before = fingers.size == 2 ? apart() : 0;
  fingers.set(m.pointerId, m);
  if (before) { zoomBy(apart() / before); return; }
  azimuth -= m.movementX / 2; elevation = Math.max(-90, Math.min(90, elevation + m.movementY / 2)); draw();
};
canvas.onwheel = m => { m.preventDefault(); zoomBy(Math.exp(-m.deltaY / 500)); };
slider.oninput = draw; window.addEventListener("resize", draw);
button.onclick = () => { if (timer) { clearInterval(timer); timer = 0; } else
  timer = setInterval(() => { slider.value = (+slider.value + 1) % frames; draw(); }, 120); button.textContent = timer ? "pause" : "play"; };
draw();
})();
"""


def _text(values: Array) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()


def scene(
    result: Result,
    faces: Array,
    normals: Array,
    limits: Tuple[float, float],
    colors: Array,
    view: Sequence[float],
) -> str:
    """V on these faces (triangles, 3), with normals at nodes: HTML, or "" if the surface is too large.

    colors: (256, 3) of 0 to 255, from limits[0] to limits[1] mV. view: azimuth and elevation of the viewer, degrees.
    """
    nodes, index = np.unique(faces, return_inverse=True)
    if len(nodes) > NODES or not len(result.times):
        return ""
    chosen = np.unique(
        np.linspace(0, len(result.times) - 1, min(FRAMES, BYTES // len(nodes))).astype(int)
    )
    points = result.points[nodes].astype(float)
    points -= points.min(0)
    size = points.max(0)
    longest = max(float(size.max()), 1e-300)
    low, high = limits
    level = [
        np.clip((result.V[int(k)][nodes].astype(float) - low) / (high - low), 0, 1) for k in chosen
    ]
    data = {
        "nodes": len(nodes),
        "points": _text(np.round(points / longest * STEPS).astype("<u2")),
        "normals": _text(np.round(127 * normals[nodes]).astype("i1")),
        "faces": _text(index.reshape(-1).astype("<u4")),
        "values": _text(np.round(255 * np.nan_to_num(np.array(level))).astype("u1")),
        "colors": _text(colors.astype("u1")),
        "times": [float("%.6g" % result.times[int(k)]) for k in chosen],
        "middle": (size / longest / 2).tolist(),
        "reach": float(np.linalg.norm(size) / longest),
        "view": list(view),
    }
    return (
        '<div id="scene"><canvas role="img" aria-label="V on the surface; drag to turn, wheel to zoom"></canvas><div><button type="button">play</button><input type="range" min="0" max="%d" value="%d" '
        'aria-label="time"><span></span></div></div>\n<script type="application/json" id="scene-data">%s</script>\n<script>%s</script>'
        % (len(chosen) - 1, len(chosen) // 6, json.dumps(data), SCRIPT)
    )
