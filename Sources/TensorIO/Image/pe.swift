extension PixelEncoding { init(_ s: ImageShape, _ n: PixelNormalization?, as spec: TensorSpec) throws { fatalError() } }
package struct PixelEncoding {}
package struct ImageTransform { package init(width: Int, height: Int) {}
 package func write(_ image: PixelBuffer, into tensor: inout MutableRawSpan, as encoding: PixelEncoding) throws {} }
extension PixelBuffer { init(tensor: RawSpan, _ s: ImageShape, _ d: PixelDenormalization?, as spec: TensorSpec) throws { fatalError() } }
