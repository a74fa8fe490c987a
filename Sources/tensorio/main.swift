import TensorIO
import TensorIOLiteRT
let loader = ModelLoader(backends: [.liteRT])
let m = try loader.model(at: CommandLine.arguments[1])
let o = try m.run(Float(2))
print(try o.value(at: 0, as: Float.self))
let c = ContinuousClock()
for _ in 0..<3 {
let n = 1_000_000
let t = try c.measure { for _ in 0..<n { let o = try m.run(Float(2)); if try o["output", as: Float.self] != 25 { print("x") } } }
print(t / n)
}
